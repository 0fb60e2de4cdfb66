#include "gpu/runtime/launch_wait.hpp"

#include <charconv>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace heddle::runtime {

std::optional<std::size_t> threads_of_process() {
  std::error_code error;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator each("/proc/self/task", error), end;
       !error && each != end; each.increment(error))
    ++count;
  return error ? std::nullopt : std::optional(count);
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
