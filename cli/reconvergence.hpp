// --reconvergence: how lanes that diverged reconverge, and what each way costs the same launches.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "simulator/record/record.hpp"
#include "simulator/warp/reconvergence_policies.hpp"
#include "traces/formats/branch_trace.hpp"

namespace heddle::cli {

// Nothing where the GPU's own is to be taken, or all. Throws Usage.
std::optional<simulator::ReconvergencePolicy> chosen_reconvergence(const Arguments& arguments);
bool wants_all_reconvergences(const Arguments& arguments);

struct ReconvergenceRun {
  simulator::ReconvergencePolicy policy{};
  simulator::Record record;  // with digests of memory
  std::vector<traces::LaunchBranches> branches;
};

// The same launches under each policy: totals, then branch by branch. `runs` are of one program.
std::string reconvergence_tables(std::span<const ReconvergenceRun> runs,
                                 const Arguments& arguments);

}  // namespace heddle::cli
