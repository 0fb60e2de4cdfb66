// How a launch is timed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/launch/scheduler_names.hpp"

namespace heddle::simulator::timing {

// Throws std::invalid_argument naming the known ones.
Policy policy_named(std::string_view name);
std::vector<std::string_view> policy_names();

struct Options {
  Policy policy = kPolicies.front().policy;
  bool cold_caches = true;  // data caches are empty when a launch begins, as a profiler makes them
  std::uint32_t sms = 0;    // 0: as many as the model has
  double sample = 1;  // part of a long launch's waves that is timed (simulator/timing/sample.hpp)
  // Warp instructions to time of a launch that has more; most others are not executed
  // (simulator/timing/slices.hpp); 0: no such limit.
  std::uint64_t sample_instructions = 0;
  // Constants that stand in for the model's: name and value.
  std::vector<std::pair<std::string, std::uint32_t>> overrides;

  bool operator==(const Options&) const = default;
};

inline constexpr std::uint32_t kMostSms = 1024;

// "scheduler=oldest-first,caches=warm,sms=16,sample=5%,latency_l1_hit=40"; "on" or nothing: the
// defaults.
// Throws std::invalid_argument naming what is wrong.
Options parse_options(std::string_view text);

// What parse_options reads; "on" for the defaults.
std::string to_text(const Options& options);

}  // namespace heddle::simulator::timing
