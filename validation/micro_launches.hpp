// What a program of gpu/kernels/micro/timing launched, measured from outside (gpu/cupti/measure.sh
// -m timing), as answers.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/record/record.hpp"
#include "validation/micro_record.hpp"

namespace heddle::validation {

// For a launch called NAME: NAME.active and NAME.elapsed, the cycles of the SM that took longest
// and of the launch; NAME.active_mean, those of an SM, on average over all of the GPU; NAME.issued
// and NAME.REASON (Nsight Compute's name), per warp: instructions issued and cycles in
// that state. `names`: of each launch, in order; empty: kernel and shape, as in
// nothing.b132.t256 for 132 blocks of 256 threads, the first of equal ones. Throws
// std::runtime_error where a launch has no name or no such counters.
MicroRecord answers_of_launches(const simulator::Record& record,
                                const std::vector<std::string>& names, std::string_view program);

}  // namespace heddle::validation
