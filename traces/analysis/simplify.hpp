// A sketch derived from a launch: its branches and loops, with everything else as work(n) and
// memory(n, pattern).
#pragma once

#include <string>

#include "simulator/launch/launch.hpp"
#include "traces/analysis/branch_profile.hpp"
#include "traces/analysis/sketch_text.hpp"

namespace heddle::traces {

// Of the launch that `profile` looked on at. The sketch's kernel is called `name`; `described` says
// in its first line what it was taken from. Called functions stand in place of their calls. Throws
// NotSimplified: loops that are entered in their middle, recursion without end in sight, more than
// a sketch can hold.
std::string simplify(const simulator::LaunchRequest& request, const BranchProfile& profile,
                     const std::string& name, const std::string& described);
// What a sketch can call a kernel of this (mangled) name.
std::string sketch_name(const std::string& kernel);

}  // namespace heddle::traces
