// A sketch derived from a launch: its branches and loops, with everything else as work(n) and
// memory(n, pattern).
#pragma once

#include <stdexcept>
#include <string>

#include "simulator/launch.hpp"
#include "traces/branch_profile.hpp"

namespace heddle::traces {

// A kernel that cannot be simplified, and why.
class NotSimplified : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of the launch that `profile` looked on at. The sketch's kernel is called
// `name`; `described` says in its first line what it was taken from. Throws NotSimplified: indirect
// branches, calls, code whose paths cross.
std::string simplify(const simulator::LaunchRequest& request, const BranchProfile& profile,
                     const std::string& name, const std::string& described);
// What a sketch can call a kernel of this (mangled) name.
std::string sketch_name(const std::string& kernel);

}  // namespace heddle::traces
