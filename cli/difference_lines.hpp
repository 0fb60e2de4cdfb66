// The source lines and branches of one kernel in several variants, line by line.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "cli/difference.hpp"

namespace heddle::cli {

// Lines of the same text stand for each other, in their order, also in different files; where the
// text is not known, lines of the same file and number; and as many changed lines between them.
// Branches are matched by their line and their order on it. `group`: the launches of each variant,
// with their instructions.
void add_places(KernelDifference& kernel,
                const std::vector<std::vector<const simulator::LaunchRecord*>>& group,
                const std::vector<Variant>& variants);

// For lines of `now`, by file and number, what the line of `before` that stands for it did.
std::map<std::pair<std::string, unsigned>, simulator::MetricValues> lines_before(
    const simulator::LaunchRecord& before, const std::vector<std::filesystem::path>& before_folders,
    const simulator::LaunchRecord& now, const std::vector<std::filesystem::path>& folders);

}  // namespace heddle::cli
