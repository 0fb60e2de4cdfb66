// A capsule's launch in the stepper: commands that its origin chooses, each followed by what the
// screen would show.
#include "gpu/runtime/fuzz/capsule_input.hpp"
#include "traces/stepper/step_view.hpp"
#include "traces/stepper/stepper.hpp"

namespace {

using heddle::traces::Stepper;

constexpr std::uint64_t kWarpInstructions = 2000;
constexpr int kCommands = 12;

void command(Stepper& stepper, std::uint64_t choice, const heddle::simulator::LaunchRequest& of) {
  const std::uint64_t number = choice >> 4;
  const auto warps = static_cast<std::uint32_t>((of.block.count() + 31) / 32);
  switch (choice % 16) {
    case 0:
      stepper.back();
      break;
    case 1:
      stepper.over();
      break;
    case 2:
      stepper.next_line();
      break;
    case 3:
      stepper.last_line();
      break;
    case 4:
      stepper.next_divergence();
      break;
    case 5:
      stepper.last_divergence();
      break;
    case 6:
      stepper.next_reconvergence();
      break;
    case 7:
      stepper.last_reconvergence();
      break;
    case 8:
      stepper.next_breakpoint();
      break;
    case 9:
      stepper.last_breakpoint();
      break;
    case 10:
      stepper.to_step(number % kWarpInstructions);
      break;
    case 11:
      stepper.to_step(~std::uint64_t{0});
      break;
    case 12:
      stepper.view(number % of.grid.count(), static_cast<std::uint32_t>(number % warps));
      break;
    case 13:
      stepper.to(heddle::traces::CodePlace("0040"));
      break;
    default:
      stepper.forward();
      break;
  }
}

void show(Stepper& stepper, std::uint64_t choice) {
  using namespace heddle::traces;
  constexpr int kRows = 12;
  const auto lane = static_cast<unsigned>(choice % 32);
  place_text(stepper);
  lanes_pane(stepper, lane);
  listing_pane(stepper, kRows);
  for (const auto& place : source_places(stepper))
    source_pane(stepper, place, {"first", "second"}, kRows);
  variables_pane(stepper);
  groups_pane(stepper);
  registers_pane(stepper, lane);
  table_pane(stepper, lane, kRows);
}

}  // namespace

HEDDLE_CAPSULE_TARGET(capsule) {
  using namespace heddle;
  std::uint64_t choices = runtime::choices_of(capsule);
  runtime::CapsuleLaunch launch(capsule, "fuzz");
  simulator::ReplayOptions options;
  options.settings.max_instructions = kWarpInstructions;
  options.interval = 64;
  options.memory_limit = 16 << 20;
  if ((choices & 1) != 0)
    options.settings.reconvergence = simulator::kReconvergencePolicies[(choices >> 1) % 3].policy;
  Stepper stepper(launch.device(), launch.request(), options);
  stepper.breakpoints.emplace_back("0050 if R2 == 0 and P0 != 1");
  for (int i = 0; i < kCommands; ++i) {
    choices = choices * 6364136223846793005 + 1442695040888963407;
    command(stepper, choices >> 24, launch.request());
    show(stepper, choices >> 40);
  }
}
