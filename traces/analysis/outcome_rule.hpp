// A formula for what a branch did, where one over the thread's index holds for every thread; else
// how often, or how many times round.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/base/types.hpp"
#include "traces/analysis/branch_profile.hpp"

namespace heddle::traces {

struct OutcomeRule {
  std::string condition;  // in the sketch language; "true" and "false" where it was always so
  std::string opposite;   // its negation
  bool counts = false;    // it speaks of k, how often the thread was there before
  bool speaks_of_t = false, speaks_of_x = false, speaks_of_y = false;
  std::string comment;  // what was measured
};

// When the branch is taken. `counter` is what the sketch calls k.
OutcomeRule taken_rule(const std::vector<BranchEvent>& events, const simulator::Dim3& grid,
                       const simulator::Dim3& block, const std::string& counter);

// How often a loop's exit branch lets a thread go round before it leaves, for each time the thread
// enters. `stays` says which outcome goes round.
struct TripRule {
  std::string count;  // an expression for the number of executions of the branch that stay
  bool speaks_of_t = false;
  std::string comment;
};
TripRule trip_rule(const std::vector<BranchEvent>& events, bool taken_stays,
                   const simulator::Dim3& block);

}  // namespace heddle::traces
