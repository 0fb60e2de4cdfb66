// The command as a shell sees it.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace heddle::cli {

struct Outcome {
  int status = 0;  // -1: ended by a signal
  std::string text;
};

// What is kept of the command's output.
enum class Kept { output, errors, both };

// Runs a shell's command; what it prints on stdout.
inline Outcome run_shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe))
    outcome.text.append(buffer, count);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// Runs `heddle` with a shell's words.
inline Outcome run_heddle(const std::string& words, Kept kept) {
  constexpr std::string_view kRedirections[] = {" 2>/dev/null", " 2>&1 >/dev/null", " 2>&1"};
  return run_shell(std::string(HEDDLE_EXECUTABLE) + " " + words +
                   std::string(kRedirections[static_cast<int>(kept)]));
}

}  // namespace heddle::cli
