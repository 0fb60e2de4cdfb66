// heddle step: launches step by step.
#include "cli/commands.hpp"
#include "cli/step_page.hpp"

namespace heddle::cli {

int run_step(const Arguments& arguments) {
  if (arguments.program.empty() == arguments.words.empty())
    throw Usage(
        "give a program after --, as in: heddle step --html page.html -- ./program arguments; or "
        "capsules");
  if (!arguments.has("html"))
    throw Usage("give --html FILE: there is no stepper in a terminal yet");
  return write_step_page(arguments);
}

}  // namespace heddle::cli
