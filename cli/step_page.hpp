// heddle step --html: launches as one HTML file.
#pragma once

#include "cli/command.hpp"

namespace heddle::cli {

// Runs the program or replays the capsules, and writes the page. Returns an exit status.
int write_step_page(const Arguments& arguments);

}  // namespace heddle::cli
