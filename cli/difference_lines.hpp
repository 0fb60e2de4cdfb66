// The source lines and branches of one kernel in several variants, line by line.
#pragma once

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

}  // namespace heddle::cli
