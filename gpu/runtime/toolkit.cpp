#include "gpu/runtime/toolkit.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace heddle::runtime {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category(), "a file in memory");
}

bool can_execute(const fs::path& file) { return access(file.c_str(), X_OK) == 0; }

// Our own variables, and the library that takes the runtime's place, are not for the tools.
std::vector<char*> environment_without_ours() {
  std::vector<char*> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("HEDDLE_")) kept.push_back(*each);
  }
  kept.push_back(nullptr);
  return kept;
}

}  // namespace

MemoryFile::MemoryFile(const char* name) : descriptor_(memfd_create(name, 0)) {
  if (descriptor_ < 0) fail();
}

MemoryFile::~MemoryFile() { close(descriptor_); }

std::string MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

void MemoryFile::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::vector<std::byte> MemoryFile::read() const {
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

void run_tool(std::vector<std::string> command, const MemoryFile& output) {
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

std::string find_tool(const std::string& name) {
  std::string variable = "HEDDLE_" + name;
  std::ranges::transform(variable, variable.begin(),
                         [](unsigned char letter) { return std::toupper(letter); });
  if (const char* const chosen = std::getenv(variable.c_str()))
    return can_execute(chosen) ? std::string(chosen) : std::string();
  std::vector<fs::path> folders;
  for (const char* const place : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const root = std::getenv(place)) folders.push_back(fs::path(root) / "bin");
  const char* const path = std::getenv("PATH");
  for (std::string_view left = path == nullptr ? "" : path; !left.empty();) {
    const std::size_t end = std::min(left.find(':'), left.size());
    if (end != 0) folders.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders)
    if (can_execute(folder / name)) return (folder / name).string();
  return {};
}

}  // namespace heddle::runtime
