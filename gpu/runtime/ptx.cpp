#include "gpu/runtime/ptx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "gpu/runtime/toolkit.hpp"

namespace heddle::runtime {
namespace {

std::string text_of(const isa::FatEntry& ptx) {
  std::string text(reinterpret_cast<const char*>(ptx.contents.data()), ptx.contents.size());
  text.resize(std::strlen(text.c_str()));  // zeros may follow
  return text;
}

// "sm_90a" of ".target sm_90a, debug"; empty where there is none.
std::string target_of(const isa::FatEntry& ptx) {
  constexpr std::string_view kDirective = ".target";
  const std::string text = text_of(ptx);
  const std::size_t directive = text.find(kDirective);
  if (directive == text.npos) return {};
  const std::size_t begin = text.find_first_not_of(" \t", directive + kDirective.size());
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_first_of(", \t\r\n", begin) - begin);
}

// Whether it is for one GPU (sm_90a) or a family of them (sm_100f) alone.
bool is_specific(const std::string& target) {
  return target.ends_with('a') || target.ends_with('f');
}

isa::FatEntry compile(const std::string& ptxas, isa::Arch arch, const isa::FatEntry& ptx,
                      const std::string& origin, const JitOptions& options) try {
  const MemoryFile source("code.ptx"), cubin("code.cubin"), output("messages");
  source.write(text_of(ptx));
  const std::string target = target_of(ptx);
  const std::string made_for =
      is_specific(target) ? target : fmt::format("sm_{}", isa::sm_number(arch));
  std::vector<std::string> command{ptxas, "-arch=" + made_for, "-lineinfo"};
  if (options.relocatable) command.emplace_back("-c");
  if (options.debug) command.emplace_back("-g");
  if (options.level >= 0) command.push_back(fmt::format("-O{}", options.level));
  if (options.max_registers != 0)
    command.push_back(fmt::format("-maxrregcount={}", options.max_registers));
  command.insert(command.end(), {source.path(), "-o", cubin.path()});
  run_tool(std::move(command), output);
  isa::FatEntry entry{.kind = isa::FatEntry::Kind::elf,
                      .sm = static_cast<std::uint32_t>(isa::sm_number(arch)),
                      .identifier = ptx.identifier,
                      .contents = cubin.read()};
  if (entry.contents.empty()) {  // whatever its exit status was
    const std::vector<std::byte> said = output.read();
    const std::string_view text(reinterpret_cast<const char*>(said.data()), said.size());
    throw PtxError(
        text.find("Unsupported .version") == text.npos ? Error::invalid_ptx
                                                       : Error::unsupported_ptx_version,
        fmt::format("{}: {} cannot compile its PTX for {}:\n{}", origin, ptxas, made_for, text));
  }
  return entry;
} catch (const std::system_error& failed) {
  throw PtxError(Error::invalid_ptx,
                 fmt::format("{}: its PTX is not compiled: {}", origin, failed.what()));
}

}  // namespace

std::vector<isa::FatEntry> ptx_for(isa::Arch arch, std::span<const isa::FatEntry> entries) {
  const auto device = static_cast<std::uint32_t>(isa::sm_number(arch));
  const std::string own = fmt::format("sm_{}a", device);
  std::uint32_t best = 0;
  bool specific = false;
  std::vector<isa::FatEntry> chosen;
  for (const isa::FatEntry& entry : entries) {
    if (entry.kind != isa::FatEntry::Kind::ptx || entry.sm > device) continue;
    const std::string target = target_of(entry);
    if (is_specific(target) && target != own) continue;
    const std::pair rank(entry.sm, is_specific(target)), before(best, specific);
    if (rank < before) continue;
    if (rank > before) chosen.clear();
    std::tie(best, specific) = rank;
    chosen.push_back(entry);
  }
  return chosen;
}

std::string find_ptxas() { return find_tool("ptxas"); }

std::vector<isa::FatEntry> compile_ptx(isa::Arch arch, std::span<const isa::FatEntry> ptx,
                                       const std::string& origin, const JitOptions& options) {
  const std::string ptxas = find_ptxas();
  if (ptxas.empty())
    throw PtxError(
        Error::jit_compiler_not_found,
        fmt::format("{} has only PTX for {}, and there is no ptxas to compile it: install the "
                    "CUDA Toolkit's compiler (HEDDLE_PTXAS or CUDA_HOME says where it is), or "
                    "build the program with -arch={}",
                    origin, isa::name(arch), isa::name(arch)));
  std::vector<isa::FatEntry> cubins;
  for (const isa::FatEntry& entry : ptx)
    cubins.push_back(compile(ptxas, arch, entry, origin, options));
  return cubins;
}

}  // namespace heddle::runtime
