// heddle diff --html.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/difference.hpp"

namespace heddle::cli {

// Throws std::runtime_error in a build without the viewer.
void check_viewer();

// One HTML file: the numbers of both, and their lanes side by side where the variants were run.
void write_difference_page(const Difference& difference, const std::vector<Variant>& variants,
                           const std::filesystem::path& html);

}  // namespace heddle::cli
