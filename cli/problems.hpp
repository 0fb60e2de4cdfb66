// What is wrong with a run, as one list: faults, findings of --check, and conditions of --fail-on.
// The text reports, SARIF and JUnit are made from it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/conditions.hpp"

namespace heddle::cli {

// A place in a source file; `line` is 0 where it is not known.
struct Place {
  std::string file;
  unsigned line = 0;
  std::string function;      // as people read it
  std::string what;          // of one side of a finding
  std::vector<Place> calls;  // where it is inlined, the innermost first
};

struct Problem {
  const simulator::LaunchRecord* launch = nullptr;
  std::string rule;           // "races/write_after_read", "fault/illegal_address", "fail-on/branch"
  std::string message;        // one sentence
  std::string details;        // the rest, in lines
  std::vector<Place> places;  // first: where it happened
  std::uint64_t times = 1;
};

// "file.cu:12".
Place place_of(const std::string& line);

// Where a launch faulted, as its report says; nothing where it does not.
Place fault_place(const simulator::LaunchRecord& launch);

// Of the launches, in their order. `faults`: with those that faulted.
std::vector<Problem> problems(Launches launches, const std::vector<Condition>& conditions,
                              bool faults);

// The SARIF 2.1.0 log (OASIS) of the problems. `folder`: where sources are looked for, so that they
// are named as the repository names them.
std::string sarif(const std::vector<Problem>& all, const std::filesystem::path& folder);

// A JUnit XML report: a test case for each launch, which fails by the problems it has.
std::string junit(Launches launches, const std::vector<Problem>& all);

}  // namespace heddle::cli
