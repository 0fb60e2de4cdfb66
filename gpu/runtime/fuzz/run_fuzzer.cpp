// A capsule's launch, executed untimed for a moment by one of the rules of reconvergence, and what
// is recorded of it.
#include <cstdlib>

#include "gpu/runtime/fuzz/capsule_input.hpp"
#include "simulator/base/json.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/record/record.hpp"

namespace {

constexpr std::uint64_t kWarpInstructions = 4000;

}  // namespace

HEDDLE_CAPSULE_TARGET(capsule) {
  using namespace heddle;
  const std::uint64_t choices = runtime::choices_of(capsule);
  runtime::CapsuleLaunch launch(capsule, "fuzz");
  simulator::LaunchOptions options;
  options.settings.max_instructions = kWarpInstructions;
  options.settings.counters = (choices & 1) != 0;
  options.print = [](std::string_view) {};
  if ((choices & 2) != 0)
    options.settings.reconvergence = simulator::kReconvergencePolicies[(choices >> 2) % 3].policy;
  const simulator::LaunchOutcome outcome = launch.run(options);
  launch.differences(capsule);
  const simulator::LaunchRecord record = simulator::make_launch_record(
      launch.request(), outcome, launch.device().model(),
      {.index = 0,
       .per_instruction = true,
       .memory = (choices & 32) != 0 ? &launch.device().memory() : nullptr});
  // What was recorded can be read.
  try {
    simulator::launch_from_json(simulator::to_json(record), "fuzz");
  } catch (const std::runtime_error&) {
    std::abort();
  }
}
