#include "cli/outputs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "gpu/runtime/options.hpp"
#include "simulator/base/output_target.hpp"

namespace heddle::cli {
namespace {

void check_path(const Option& option, const std::string& value) {
  std::string path = value;
  bool is_folder = option.effect == Effect::folder;
  if (option.effect == Effect::trace) {
    const std::size_t at = value.find('=');
    if (at == value.npos) return;  // to stderr
    is_folder = value.starts_with("accelsim=");
    path = value.substr(at + 1);
  }
  if (is_folder && path == simulator::kStandardOutput)
    throw Usage(fmt::format("--{}: - is stdout, and this writes a folder", option.name));
  path = runtime::expand_process(path, getpid());
  if (is_folder)
    simulator::check_output_folder(path);
  else
    simulator::check_output(path);
}

}  // namespace

void check_outputs(const Arguments& arguments, const Command& command) {
  for (const Option& option : command.options) {
    if (option.effect == Effect::none || option.effect == Effect::trusted) continue;
    if (arguments.has(option.name)) check_path(option, arguments.value(option.name));
  }
}

void open_standard_streams() {
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(each, F_GETFD) >= 0) continue;
    // The lowest number that is free, which is this one. Reads and writes of it fail as before.
    (void)!open("/dev/null", each == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  }
}

int flushed(int status, int failed) {
  errno = 0;
  const bool was_lost = std::ferror(stdout) != 0;
  const bool is_lost = std::fflush(stdout) != 0;
  if (was_lost || is_lost) {
    fmt::print(stderr, "heddle: standard output cannot be written{}{}\n", errno != 0 ? ": " : "",
               errno != 0 ? std::strerror(errno) : "");
    return failed;
  }
  return std::ferror(stderr) != 0 ? failed : status;
}

}  // namespace heddle::cli
