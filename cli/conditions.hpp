// --fail-on: conditions over metrics that make a run fail.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch_text.hpp"

namespace heddle::cli {

// "gld_efficiency < 80": fails a launch for which it holds. "inst_executed > +5%", or "> +100": of
// a value relative to the same launch's of --baseline.
struct Condition {
  enum class Limit { absolute, share, amount };
  const simulator::Metric* metric = nullptr;
  std::string op;    // <, <=, >, >=, == or !=
  double limit = 0;  // in the metric's unit; of a share in per cent
  Limit kind = Limit::absolute;
  std::string text;                                             // as it was given
  std::shared_ptr<const simulator::Record> baseline = nullptr;  // where the limit is relative
};

// Those of --fail-on, in their order; one text may hold several, with commas between them. Throws
// Usage for what is no condition, or where a relative one has no --baseline.
std::vector<Condition> fail_conditions(const Arguments& arguments);

struct Violation {
  const simulator::LaunchRecord* launch = nullptr;
  Condition condition;
  double value = 0;
  std::optional<double> before = std::nullopt;  // in the baseline
};

// The launches for which a condition holds. A launch without the value, or without a partner in the
// baseline, violates nothing. The partner of a kernel's n-th launch is the n-th one there.
std::vector<Violation> violations(Launches launches, const std::vector<Condition>& conditions);

// "gld_efficiency is 25 %: --fail-on 'gld_efficiency < 80' holds".
std::string violation_text(const Violation& violation);

// The kernels whose launches have no partner in the baseline, or not all of them: a line each.
std::vector<std::string> missing_in_baseline(Launches launches,
                                             const std::vector<Condition>& conditions);

}  // namespace heddle::cli
