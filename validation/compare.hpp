// Joins a model's record with a hardware record of the same program, value by value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/record/record.hpp"

namespace heddle::validation {

// One value that is not the same. A count that one side's instruction lacks while its launch has
// the metric is zero; a metric a whole launch lacks is absent.
struct Difference {
  std::string metric;
  std::string function;             // empty: of the whole launch
  std::optional<std::uint64_t> pc;  // byte offset in it
  std::string line;
  std::optional<double> model, hardware;
};

struct LaunchComparison {
  std::uint64_t index = 0;
  std::string kernel;
  // What makes exactness impossible to promise: the model's class, or hardware runs that differ
  // from one another. Differences of such a launch are shown and do not count.
  bool order_dependent = false;
  std::vector<std::string> reasons;
  std::uint64_t values = 0;  // exact values compared
  std::vector<Difference> differences;
  std::vector<std::string> not_modelled;  // metrics that time decides and the model does not have
  std::vector<std::string> not_measured;  // exact metrics that only the model's record has
  // The side whose record has no instructions while the other's has: totals alone are compared.
  std::string without_instructions;
  std::uint64_t allocations = 0;  // memory digests compared
  std::vector<std::string> memory_differences;
  // Why counts may differ that are right on both sides; empty: nothing is known.
  std::string note;
  // Nothing could be compared, and why: another kernel, another grid, other code.
  std::string trouble;

  bool equal() const {
    return trouble.empty() && differences.empty() && memory_differences.empty();
  }
};

struct Comparison {
  std::vector<LaunchComparison> launches;

  bool trouble() const;
  // Every determined launch equal.
  bool equal() const;
};

// The model's host_launches are joined with the hardware's by index, and must be of one kernel,
// grid, block and code. Exact metrics must be equal, in the launch and in every instruction; every
// metric the hardware record holds counts.
Comparison compare(const simulator::Record& model, const simulator::Record& hardware);

}  // namespace heddle::validation
