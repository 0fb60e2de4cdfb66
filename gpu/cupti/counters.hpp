// The hardware counters a measurement asks for, spelled as Nsight Compute spells them, roll-up
// included.
#pragma once

#include <string>
#include <vector>

namespace heddle::cupti {

std::vector<std::string> counter_names();
// Those a model of time is compared with: cycles, what warps waited for, hit rates, bytes. Few
// enough to be measured several times.
std::vector<std::string> timing_counter_names();

}  // namespace heddle::cupti
