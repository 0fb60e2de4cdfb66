#include "cli/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/signals.hpp"
#include "cli/start_failure.hpp"
#include "simulator/base/display_names.hpp"

namespace heddle::cli {
namespace {

constexpr int kNotExecutable = 126, kNotFound = 127;
constexpr std::chrono::milliseconds kPatience{2000};  // between asking to end and killing

std::vector<std::string> merged(const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) entries.emplace_back(text);
  }
  for (const auto& [name, value] : added) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Waits until the child ends or the time is up; true: it ended.
bool ended_within(int descriptor, std::optional<std::chrono::milliseconds> limit) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit.value_or(std::chrono::milliseconds(0));
  for (;;) {
    pollfd entry{descriptor, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (limit && left <= 0) return false;
    const int ready = poll(&entry, 1, limit ? static_cast<int>(left) : -1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // waitpid will tell
  }
}

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), F_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, end), name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

ChildResult run_child(const std::vector<std::string>& program,
                      const std::map<std::string, std::string>& environment,
                      std::optional<std::chrono::milliseconds> limit, const Redirection& to,
                      const std::filesystem::path& executable) {
  const std::string started = executable.empty() ? program[0] : executable.string();
  std::vector<std::string> arguments = program, variables = merged(environment);
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto redirect = [&](int descriptor, const std::filesystem::path& file) {
    if (!file.empty())
      posix_spawn_file_actions_addopen(&actions, descriptor, file.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0666);
  };
  redirect(STDOUT_FILENO, to.output);
  redirect(STDERR_FILENO, to.errors);
  int error = 0;
  ChildWatch watch([&](const sigset_t& mask) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setsigdefault(&attributes, &defaulted_signals());
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error = posix_spawnp(&child, started.c_str(), &actions, &attributes, pointers(arguments).data(),
                         pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    return error == 0 ? child : 0;
  });
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    fmt::print(stderr, "heddle: {}\n",
               simulator::visible_lines(start_failure(program[0], started, error)));
    return {.status = error == ENOENT ? kNotFound : kNotExecutable, .started = false};
  }
  // By number: glibc 2.36 declares pidfd_open without extern "C".
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  ChildResult result;
  if (!ended_within(descriptor, limit)) {
    result.timed_out = true;
    kill(child, SIGTERM);
    if (!ended_within(descriptor, kPatience)) {
      kill(child, SIGKILL);
      ended_within(descriptor, std::nullopt);
    }
  }
  result.interrupted = watch.end();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  close(descriptor);
  result.status = shell_status(status);
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return result;
}

}  // namespace heddle::cli
