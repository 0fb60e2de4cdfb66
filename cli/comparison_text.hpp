// A comparison as text: one line per launch, then what differs.
#pragma once

#include <cstdint>
#include <string>

#include "cli/text.hpp"
#include "validation/compare.hpp"

namespace heddle::cli {

// What differs, launch by launch; at most `shown` differences of each.
std::string differences_text(const validation::Comparison& comparison, std::uint64_t shown);
// One line per launch, then what differs.
std::string comparison_text(const validation::Comparison& comparison, const Style& style,
                            std::uint64_t shown);

// What the hardware record has that time decides and the model's does not; empty: nothing.
std::string times_missing_text(const validation::Comparison& comparison,
                               const simulator::Record& hardware);

}  // namespace heddle::cli
