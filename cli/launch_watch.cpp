#include "cli/launch_watch.hpp"

#include <fmt/format.h>

#include "cli/text.hpp"
#include "simulator/launch/observer.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostToWatch = std::uint64_t{1} << 62;

}  // namespace

LaunchWatch::LaunchWatch(std::uint64_t most_instructions, std::optional<std::uint64_t> seconds)
    : most_instructions_(most_instructions), seconds_(seconds), deadline_(seconds) {
  simulator::LaunchSettings settings;
  settings.max_instructions = most_instructions_;
  progress_ = runtime::progress_on_stderr(settings);
}

LaunchWatch::LaunchWatch(const Arguments& arguments)
    : LaunchWatch(arguments.number("max-instructions", kMostToWatch).value_or(kUsualInstructions),
                  arguments.number("timeout", kMostSeconds)) {}

void LaunchWatch::before(simulator::Device& device, const simulator::LaunchRequest& request,
                         simulator::LaunchOptions& options) {
  options.settings.max_instructions = most_instructions_;
  options.watch = [this](const simulator::LaunchProgress& progress) {
    return progress_->during(progress) && !deadline_.passed();
  };
  progress_->before(device, request);
}

void LaunchWatch::after(simulator::Device& device, const simulator::LaunchRequest& request,
                        const simulator::LaunchOutcome& outcome, std::uint64_t index) {
  using enum simulator::Fault::Kind;
  progress_->after(device, request, outcome);
  if (!outcome.fault) return;
  if (outcome.fault->kind == interrupted)
    fmt::print(stderr, "heddle: launch {}: ended after {} seconds (--timeout)\n", index,
               seconds_.value_or(0));
  else if (outcome.fault->kind == instruction_limit)
    fmt::print(stderr, "heddle: launch {}: {}\n", index, visible_lines(outcome.fault->message()));
  else
    return;
  reached_limit_ = true;
}

simulator::LaunchOutcome LaunchWatch::run(runtime::CapsuleLaunch& launch, std::uint64_t index,
                                          simulator::LaunchOptions options) {
  before(launch.device(), launch.request(), options);
  simulator::LaunchOutcome outcome = launch.run(options);
  after(launch.device(), launch.request(), outcome, index);
  return outcome;
}

}  // namespace heddle::cli
