// The hardware counters a measurement asks for, spelled as Nsight Compute spells them, roll-up
// included.
#pragma once

#include <string>
#include <vector>

namespace heddle::cupti {

std::vector<std::string> counter_names();

}  // namespace heddle::cupti
