#include "cli/program_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "cli/sketch_file.hpp"
#include "gpu/runtime/code_image.hpp"
#include "gpu/runtime/ptx.hpp"
#include "simulator/base/file.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{4} << 30;

bool is_cubin(std::span<const std::byte> bytes) {
  constexpr std::size_t kMachine = 18;
  constexpr std::uint16_t kCuda = 190;  // EM_CUDA
  std::uint16_t machine = 0;
  if (bytes.size() < kMachine + sizeof machine) return false;
  std::memcpy(&machine, bytes.data() + kMachine, sizeof machine);
  return machine == kCuda;
}

// Of a program's PTX; for the GPU that `heddle run` takes when no architecture is wanted.
std::vector<CubinFile> compiled(std::span<const isa::FatEntry> entries, std::string_view wanted,
                                const std::string& origin) {
  std::vector<CubinFile> files;
  for (const isa::Arch arch : isa::kAllArchs) {
    if (isa::name(arch) != (wanted.empty() ? isa::name(runtime::model_for(entries).arch) : wanted))
      continue;
    const auto ptx = runtime::ptx_for(arch, entries);
    if (ptx.empty()) continue;
    for (isa::FatEntry& entry : runtime::compile_ptx(arch, ptx, origin))
      files.push_back(
          {std::move(entry.contents), fmt::format("{}: PTX for {}", origin, isa::name(arch))});
  }
  return files;
}

}  // namespace

std::vector<CubinFile> read_cubins(const std::filesystem::path& path, std::string_view arch) {
  if (is_sketch(path.string())) return {{compile_sketch(path).cubin, path.string()}};
  const std::string text = simulator::read_file(path, kLargest);
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  const std::span<const std::byte> bytes(data, text.size());
  const std::string origin = path.string();
  if (is_cubin(bytes)) return {{{bytes.begin(), bytes.end()}, origin}};
  std::vector<CubinFile> files;
  std::set<std::string> found;
  std::size_t number = 0;
  auto entries = isa::read_executable(bytes, origin);
  for (isa::FatEntry& entry : entries) {
    ++number;
    if (entry.kind != isa::FatEntry::Kind::elf) continue;
    const std::string name = fmt::format("sm_{}", entry.sm);
    found.insert(name);
    if (arch.empty() || arch == name)
      files.push_back({std::move(entry.contents), fmt::format("{}: entry {}", origin, number)});
  }
  if (files.empty()) files = compiled(entries, arch, origin);
  if (files.empty() && entries.empty())
    throw isa::CubinError(fmt::format("{}: holds no device code", origin));
  if (files.empty())
    throw isa::CubinError(
        fmt::format("{}: holds no code for {}; it has {}", origin, arch, fmt::join(found, ", ")));
  return files;
}

}  // namespace heddle::cli
