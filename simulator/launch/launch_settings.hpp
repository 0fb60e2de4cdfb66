// How launches execute, as a user chose it. One value goes from the command line, by way of the
// environment of a program that runs on the model, to every launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/launch/check_options.hpp"
#include "simulator/launch/timing_options.hpp"
#include "simulator/warp/reconvergence_policies.hpp"

namespace heddle::simulator {

struct LaunchSettings {
  unsigned threads = 1;  // host threads; 0: those that nothing else uses, where they pay
  // Where their number is given: the warp instructions that one thread executes before the others
  // join it. Of fewer, a fraction of a millisecond, threads take longer to begin than they save.
  std::uint64_t threads_after = 1 << 14;
  std::uint64_t max_instructions = 0;  // warp instructions of one launch; 0: no limit
  // Launches are timed; needs a model with timing constants.
  std::optional<timing::Options> timing = std::nullopt;
  std::optional<ReconvergencePolicy> reconvergence = std::nullopt;  // nothing: the model's own
  // The seed that the order of warps and blocks is drawn from (simulator/execute/random_order.hpp);
  // nothing: warps advance evenly. For launches that are not timed.
  std::optional<std::uint64_t> random_schedule = std::nullopt;
  bool interpret = false;  // without native code (simulator/native)
  checks::Options checks = {};
  // What hardware's counters see is wanted where that differs from what is counted by instruction:
  // such a launch is executed twice, where it can be.
  bool counters = false;

  bool operator==(const LaunchSettings&) const = default;
};

// "threads=0 max-instructions=1000 timing=sms=16 reconvergence=stack check=memory,races counters=1"
// and, in place of the timing, "schedule=random:7".
std::string to_text(const LaunchSettings& settings);

// Throws std::invalid_argument where the settings contradict one another.
void check_settings(const LaunchSettings& settings);

// What the text does not say is as in `otherwise`. Throws std::invalid_argument naming what is
// wrong.
LaunchSettings parse_settings(std::string_view text, LaunchSettings otherwise = {});

}  // namespace heddle::simulator
