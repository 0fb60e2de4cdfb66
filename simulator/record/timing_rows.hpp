// The rows of the metric table that a timed launch fills in.
#pragma once

#include <span>

#include "simulator/record/metrics.hpp"

namespace heddle::simulator::timing {

std::span<const Metric> metric_rows();

}  // namespace heddle::simulator::timing
