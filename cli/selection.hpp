// Which launches and metrics of a record are shown; spelled as in Nsight Compute.
#pragma once

#include <span>
#include <vector>

#include "cli/command.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

Names metric_names();
Names section_names();

// -k, -s, -c, --metrics: for the commands that show launches.
inline constexpr Option kKernelOption{
    "kernel", 'k', "NAME", "only launches of this kernel; regex:PATTERN matches part of the name"};
inline constexpr Option kSkipOption{"launch-skip", 's', "N",
                                    "skip the first N of these launches (they still execute)"};
inline constexpr Option kCountOption{"launch-count", 'c', "N", "show at most N launches"};
inline constexpr Option kMetricsOption{
    "metrics",    0,
    "NAME,...",   "only these metrics, by Nsight Compute's or nvprof's names",
    Effect::none, metric_names,
    true};

inline constexpr Option kSectionOption{
    "section",    0,
    "NAME,...",   "only the metrics of these sections, as Nsight Compute names them",
    Effect::none, section_names,
    true};

// The launches that -k, -s and -c choose. Throws Usage where -k names no kernel of the record.
std::vector<const simulator::LaunchRecord*> chosen_launches(const simulator::Record& record,
                                                            const Arguments& arguments);
// Throws Usage where -k is no regular expression.
simulator::KernelFilter kernel_filter(const Arguments& arguments);
// "there are a, b, c": what -k takes for the kernels, each once. Of many, the first 20.
std::string kernels_to_choose(const std::vector<std::string>& kernels);
// "no kernel nope; there are a, b, c", or "; did you mean note?". `kernels`: as in their file.
[[noreturn]] void no_such_kernel(const std::string& name, const std::vector<std::string>& kernels);
// Throws Usage naming the option, "did you mean".
const simulator::Metric& metric_of(std::string_view option, const std::string& name);
// Whether -k, -s or -c leave launches out.
bool chooses_launches(const Arguments& arguments);
// The record without the launches that they leave out.
simulator::Record chosen_part(const simulator::Record& record, const Arguments& arguments);
// The rows --metrics and those of the sections --section names, in their order; none when neither
// was given. Throws Usage.
std::vector<const simulator::Metric*> chosen_metrics(const Arguments& arguments);

using simulator::base_name;

}  // namespace heddle::cli
