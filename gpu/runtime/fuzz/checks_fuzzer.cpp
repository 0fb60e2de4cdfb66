// A capsule's launch, executed for a moment while every check watches it.
#include "gpu/runtime/fuzz/capsule_input.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/record/metrics.hpp"

namespace {

constexpr std::uint64_t kWarpInstructions = 2000;

}  // namespace

HEDDLE_CAPSULE_TARGET(capsule) {
  using namespace heddle;
  runtime::CapsuleLaunch launch(capsule, "fuzz");
  simulator::checks::Options chosen = simulator::checks::parse_options("all");
  chosen.hazards = launch.device().model().timing != nullptr;
  simulator::checks::Checks checks(chosen, launch.device().memory());
  simulator::LaunchOptions options;
  options.settings.max_instructions = kWarpInstructions;
  options.checks = &checks;
  options.print = [](std::string_view) {};
  const simulator::LaunchOutcome outcome = launch.run(options);
  simulator::make_launch_record(launch.request(), outcome, launch.device().model(),
                                {.index = 0, .per_instruction = true});
}
