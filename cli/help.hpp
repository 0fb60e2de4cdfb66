// Everything that is made from the table of commands and options.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace heddle::cli {

std::string help();                        // heddle --help
std::string help(const Command& command);  // heddle COMMAND --help
std::string reference();                   // docs/command.md
std::string metrics_page();                // docs/metrics.md
std::string man_page();                    // heddle.1
std::string bash_completion();

}  // namespace heddle::cli
