// Advice about memory: loads and stores that move more than they need, bank conflicts, atomics on
// few addresses, loads of what is there already.
#pragma once

#include <utility>
#include <vector>

#include "traces/analysis/access_watch.hpp"
#include "traces/analysis/advice.hpp"
#include "traces/analysis/listing.hpp"

namespace heddle::traces {

// With the share of `cost` (cycles, as traces/analysis/launch_cost.hpp counts) that it would save.
std::vector<std::pair<double, Advice>> memory_advice(const simulator::LaunchRequest& request,
                                                     const AccessWatch& accesses, double cost,
                                                     Listing& listing);

}  // namespace heddle::traces
