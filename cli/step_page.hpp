// heddle step --html: launches as one HTML file.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/command.hpp"

namespace heddle::cli {

// Runs the program or replays the capsules, and writes the page. Returns an exit status.
int write_step_page(const Arguments& arguments);

// A smaller page of some capsules beside a hardware record, without a word.
void write_capsules_page(const std::vector<std::filesystem::path>& capsules,
                         const std::filesystem::path& hardware, const std::filesystem::path& html);

}  // namespace heddle::cli
