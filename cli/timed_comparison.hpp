// The times of two records side by side, where both are timed.
#pragma once

#include <string>

#include "simulator/record/record.hpp"

namespace heddle::cli {

// Cycles, stall reasons, hit rates and bytes of each kernel, the model's beside the hardware's,
// with the error and what the hardware's own measurements differ by. Empty where no launch was
// timed on both sides.
std::string times_text(const simulator::Record& model, const simulator::Record& hardware);

}  // namespace heddle::cli
