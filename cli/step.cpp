// heddle step: launches step by step.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/reconvergence.hpp"
#include "cli/step_page.hpp"
#include "cli/step_terminal.hpp"

namespace heddle::cli {

int run_step(const Arguments& arguments) {
  if (arguments.program.empty() == arguments.words.empty())
    throw Usage("give a program, as in: heddle step ./program arguments; or capsules");
  if (wants_all_reconvergences(arguments))
    throw Usage(
        fmt::format("--reconvergence=all: choose one policy to step through: {}; heddle run "
                    "compares all of them",
                    simulator::reconvergence_names()));
  for (const char* of_the_page : {"hardware", "baseline", "timing", "steps"})
    if (arguments.has(of_the_page) && !arguments.has("html"))
      throw Usage(fmt::format("--{} needs --html FILE", of_the_page));
  return arguments.has("html") ? write_step_page(arguments) : step_in_terminal(arguments);
}

}  // namespace heddle::cli
