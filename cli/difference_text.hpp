// What diff prints and writes.
#pragma once

#include <cstdint>
#include <string>

#include "cli/difference.hpp"
#include "cli/text.hpp"
#include "simulator/base/json.hpp"

namespace heddle::cli {

// `metrics`: those of the table; empty: the usual ones that differ. `shown`: lines and branches of
// a kernel at most.
std::string difference_text(const Difference& difference,
                            const std::vector<const simulator::Metric*>& metrics,
                            std::uint64_t shown, const Style& style);
// One row per kernel, place, variant and metric.
std::string difference_csv(const Difference& difference,
                           const std::vector<const simulator::Metric*>& metrics);
// Schema "heddle.diff/1" (docs/diff.md).
nlohmann::ordered_json difference_json(const Difference& difference,
                                       const std::vector<const simulator::Metric*>& metrics);

// "A", "B", …
std::string letter(std::size_t variant);

}  // namespace heddle::cli
