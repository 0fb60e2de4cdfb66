#include "gpu/runtime/ptx.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace heddle::runtime {
namespace {

namespace fs = std::filesystem;

// A file in memory, which ptxas opens by its descriptor: nothing is left behind, however we end.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, 0)) {
    if (descriptor_ < 0) fail();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) fail();
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::vector<std::byte> read() const {
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<off_t>(size, 0)));
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count =
          pread(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
      if (count == 0 || (count < 0 && errno != EINTR)) fail();
      if (count > 0) at += static_cast<std::size_t>(count);
    }
    return bytes;
  }

 private:
  [[noreturn]] static void fail() {
    throw std::system_error(errno, std::generic_category(), "a file in memory");
  }
  int descriptor_;
};

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

bool can_execute(const fs::path& file) { return access(file.c_str(), X_OK) == 0; }

// Our own variables, and the library that takes the runtime's place, are not for ptxas.
std::vector<char*> environment_without_ours() {
  std::vector<char*> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("HEDDLE_")) kept.push_back(*each);
  }
  kept.push_back(nullptr);
  return kept;
}

// Runs a command to its end. What it says goes to `output`.
void run(std::vector<std::string> command, const MemoryFile& output) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, words[0], &actions, nullptr, words.data(),
                                environment_without_ours().data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), command[0]);
  // The program may reap its children itself, or ignore them: then there is nothing left to wait
  // for (ECHILD).
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
}

isa::FatEntry compile(const std::string& ptxas, isa::Arch arch, const isa::FatEntry& ptx,
                      const std::string& origin) try {
  const MemoryFile source("code.ptx"), cubin("code.cubin"), output("messages");
  source.write(text_of(ptx));
  const std::string target = target_of(ptx);
  const std::string made_for =
      is_specific(target) ? target : fmt::format("sm_{}", isa::sm_number(arch));
  run({ptxas, "-arch=" + made_for, "-lineinfo", source.path(), "-o", cubin.path()}, output);
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

std::string find_ptxas() {
  if (const char* const chosen = std::getenv("HEDDLE_PTXAS"))
    return can_execute(chosen) ? std::string(chosen) : std::string();
  std::vector<fs::path> folders;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const root = std::getenv(name)) folders.push_back(fs::path(root) / "bin");
  const char* const path = std::getenv("PATH");
  for (std::string_view left = path == nullptr ? "" : path; !left.empty();) {
    const std::size_t end = std::min(left.find(':'), left.size());
    if (end != 0) folders.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders)
    if (can_execute(folder / "ptxas")) return (folder / "ptxas").string();
  return {};
}

std::vector<isa::FatEntry> compile_ptx(isa::Arch arch, std::span<const isa::FatEntry> ptx,
                                       const std::string& origin) {
  const std::string ptxas = find_ptxas();
  if (ptxas.empty())
    throw PtxError(
        Error::jit_compiler_not_found,
        fmt::format(
            "{} has nothing but PTX for {}, and there is no ptxas to compile it: install the "
            "CUDA Toolkit's compiler (HEDDLE_PTXAS or CUDA_HOME says where it is), or "
            "build the program with -arch={}",
            origin, isa::name(arch), isa::name(arch)));
  std::vector<isa::FatEntry> cubins;
  for (const isa::FatEntry& entry : ptx) cubins.push_back(compile(ptxas, arch, entry, origin));
  return cubins;
}

}  // namespace heddle::runtime
