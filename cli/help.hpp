// Everything that is made from the table of commands and options.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace heddle::cli {

std::string help();                            // heddle --help
std::string help(const Command& command);      // heddle COMMAND --help
std::string reference();                       // docs/command.md
std::string metrics_page();                    // docs/metrics.md
std::string man_page();                        // heddle.1
std::string man_page(const Command& command);  // heddle-COMMAND.1
// What the shells complete: commands, options, and the words that options take.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace heddle::cli
