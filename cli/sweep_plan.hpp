// Which runs a sweep makes: what varies, and how the values are combined.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"

namespace heddle::cli {

// What varies: an option of heddle run ("block"), or a name after a colon: "set:l1_bytes",
// "param:n", "define:TILE".
struct Axis {
  std::string name;
  std::vector<std::string> values;

  // "n" of "param:n"; "block" of "block".
  std::string label() const { return name.substr(name.find(':') + 1); }
};

struct Job {
  std::vector<std::string> values;  // one for each axis
  std::vector<std::string> words;   // of heddle run
};

struct SweepPlan {
  std::vector<Axis> axes;
  std::vector<Job> jobs;
};

// "64", "64,128", "64..1024:x2" (times 2), "8..32:+8", "2^16..2^24" (powers of two).
// Throws Usage naming `option`.
std::vector<std::string> expand_values(const std::string& option, const std::string& text);

// From the options of heddle sweep: every combination, or pairs (--zip), or the rows of --from.
// Throws Usage.
SweepPlan sweep_plan(const Arguments& arguments);

}  // namespace heddle::cli
