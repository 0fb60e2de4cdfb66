// --fail-on: conditions over metrics that make a run fail.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/launch_text.hpp"

namespace heddle::cli {

// "gld_efficiency < 80": fails a launch for which it holds.
struct Condition {
  const simulator::Metric* metric = nullptr;
  std::string op;    // <, <=, >, >=, == or !=
  double limit = 0;  // in the metric's unit
  std::string text;  // as it was given
};

// Those of --fail-on, in their order. Throws Usage for what is no condition.
std::vector<Condition> fail_conditions(const Arguments& arguments);

struct Violation {
  const simulator::LaunchRecord* launch = nullptr;
  Condition condition;
  double value = 0;
};

// The launches for which a condition holds. A launch without the value violates nothing.
std::vector<Violation> violations(Launches launches, const std::vector<Condition>& conditions);

// "gld_efficiency is 25 %, which --fail-on 'gld_efficiency < 80' refuses".
std::string violation_text(const Violation& violation);

}  // namespace heddle::cli
