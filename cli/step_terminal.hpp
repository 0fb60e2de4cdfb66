// heddle step in a terminal.
#pragma once

#include "cli/command.hpp"

namespace heddle::cli {

// Runs the program or loads the capsules, and shows their launches until the user leaves. Returns
// an exit status.
int step_in_terminal(const Arguments& arguments);

}  // namespace heddle::cli
