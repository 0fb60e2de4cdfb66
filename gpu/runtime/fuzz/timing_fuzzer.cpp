// A capsule's launch, timed for a moment, by one of the schedulers.
#include "gpu/runtime/fuzz/capsule_input.hpp"
#include "simulator/record/metrics.hpp"

namespace {

constexpr std::uint64_t kWarpInstructions = 2000;

}  // namespace

HEDDLE_CAPSULE_TARGET(capsule) {
  using namespace heddle;
  namespace timing = simulator::timing;
  const std::uint64_t choices = runtime::choices_of(capsule);
  runtime::CapsuleLaunch launch(capsule, "fuzz");
  if (launch.device().model().timing == nullptr) return;
  const auto policies = timing::policy_names();
  timing::Options timed;
  timed.policy = timing::policy_named(policies[choices % policies.size()]);
  timed.cold_caches = (choices & 8) != 0;
  timed.sms = (choices & 16) != 0 ? 4 : 0;
  if ((choices & 96) == 0) timed.sample = 0.5;
  if ((choices & 384) == 0) timed.sample_instructions = kWarpInstructions / 8;
  simulator::LaunchOptions options;
  options.settings.max_instructions = kWarpInstructions;
  options.settings.timing = timed;
  options.print = [](std::string_view) {};
  const simulator::LaunchOutcome outcome = launch.run(options);
  simulator::make_launch_record(launch.request(), outcome, launch.device().model(),
                                {.index = 0, .per_instruction = true});
}
