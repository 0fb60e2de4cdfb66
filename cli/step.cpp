// heddle step: launches step by step.
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
        "--reconvergence=all: one launch is stepped through one way: barriers, stack or min-pc; "
        "heddle run sets all three side by side");
  return arguments.has("html") ? write_step_page(arguments) : step_in_terminal(arguments);
}

}  // namespace heddle::cli
