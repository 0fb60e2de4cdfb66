#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "cli/command.hpp"
#include "cli/configuration.hpp"
#include "cli/help.hpp"
#include "cli/signals.hpp"
#include "gpu/runtime/crash_report.hpp"

namespace {

using namespace heddle::cli;

int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::fputs(help().c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? kTrouble : 0;
  }
  if (words[0] == "--version") {
    fmt::print("heddle {}\n", HEDDLE_VERSION);
    return 0;
  }
  const Command& command = find_command(words[0]);
  Arguments arguments = parse(command, {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    std::fputs(help(command).c_str(), stdout);
    return 0;
  }
  configure(arguments, command, surroundings());
  if (arguments.has("print-config")) {
    std::fputs(configuration_text(arguments, command).c_str(), stdout);
    return 0;
  }
  return command.run(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  watch_signals();
  heddle::runtime::report_crashes();
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    return run(words);
  } catch (const Usage& error) {
    fmt::print(stderr, "heddle: {}\n", error.what());
    return kTrouble;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle: {}\n", error.what());
    return !words.empty() && words[0] == "run" ? kFailed : kTrouble;
  }
}
