// Starts a program and waits for it.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

struct ChildResult {
  int status = 0;       // its exit status; 128 + the signal that ended it, as a shell says it
  int signal = 0;       // that ended it; 0: it ended by itself
  int interrupted = 0;  // by this signal (cli/signals.hpp) while it ran; 0: by none
  bool timed_out = false;
  bool started = true;
};

// Where what a program prints goes; empty: where ours does.
struct Redirection {
  std::filesystem::path output, errors;
};

// `program`: its name and its arguments. `executable`: the file, where it is not the name's.
// `environment` is set beside the caller's own. A signal that asks us to end goes to the program
// and is noted (ChildWatch). After `limit` it is asked to end, two seconds later it is killed. Of
// a program that cannot be started stderr says why; its status is 126 or 127, as a shell says it.
ChildResult run_child(const std::vector<std::string>& program,
                      const std::map<std::string, std::string>& environment,
                      std::optional<std::chrono::milliseconds> limit, const Redirection& to = {},
                      const std::filesystem::path& executable = {});

// The file `name` stands for: searched in PATH where it has no slash. Empty: there is none.
std::string find_program(const std::string& name);

}  // namespace heddle::cli
