#include "gpu/runtime/launch_wait.hpp"

#include <dirent.h>

#include <charconv>
#include <csignal>
#include <cstdint>

namespace heddle::runtime {

// std::filesystem's iterator would terminate the program when memory is full.
std::optional<std::size_t> threads_of_process() {
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return std::nullopt;
  std::size_t count = 0;
  while (const dirent* const entry = readdir(tasks))
    if (entry->d_name[0] != '.') ++count;
  closedir(tasks);
  return count;
}

bool catches_signals(std::string_view status) {
  constexpr std::string_view kName = "SigCgt:";
  const std::size_t line = status.find(kName);
  if (line == std::string_view::npos) return true;
  std::size_t first = line + kName.size();
  while (first < status.size() && (status[first] == ' ' || status[first] == '\t')) ++first;
  std::uint64_t caught = 0;
  std::from_chars(status.data() + first, status.data() + status.size(), caught, 16);
  // The C library has the first two numbers of the real-time signals to itself.
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, 32, 33})
    caught &= ~(std::uint64_t{1} << (own - 1));
  return caught != 0;
}

}  // namespace heddle::runtime
