// Which launches and metrics of a record are shown; spelled as in Nsight Compute.
#pragma once

#include <span>
#include <vector>

#include "cli/command.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

// -k, -s, -c, --metrics: for the commands that show launches.
inline constexpr Option kKernelOption{
    "kernel", 'k', "NAME", "only launches of this kernel; regex:PATTERN matches part of the name"};
inline constexpr Option kSkipOption{"launch-skip", 's', "N",
                                    "leave out the first N of these launches (they still run)"};
inline constexpr Option kCountOption{"launch-count", 'c', "N", "at most N launches"};
inline constexpr Option kMetricsOption{"metrics", 0, "NAME,...",
                                       "only these metrics, by Nsight Compute's or nvprof's names"};

// The launches that -k, -s and -c choose. Throws Usage where -k names no kernel of the record.
std::vector<const simulator::LaunchRecord*> chosen_launches(const simulator::Record& record,
                                                            const Arguments& arguments);
// The rows --metrics names, in its order; none when it was not given. Throws Usage.
std::vector<const simulator::Metric*> chosen_metrics(const Arguments& arguments);

using simulator::base_name;

}  // namespace heddle::cli
