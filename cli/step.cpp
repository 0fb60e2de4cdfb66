// heddle step: launches step by step.
#include "cli/commands.hpp"
#include "cli/step_page.hpp"
#include "cli/step_terminal.hpp"

namespace heddle::cli {

int run_step(const Arguments& arguments) {
  if (arguments.program.empty() == arguments.words.empty())
    throw Usage("give a program after --, as in: heddle step -- ./program arguments; or capsules");
  return arguments.has("html") ? write_step_page(arguments) : step_in_terminal(arguments);
}

}  // namespace heddle::cli
