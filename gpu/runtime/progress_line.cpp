#include "gpu/runtime/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "simulator/base/display_names.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch_shape.hpp"
#include "simulator/run/prepared_launch.hpp"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr auto kQuietFor = 1s;
constexpr auto kBetweenUpdates = 250ms;
constexpr auto kBetweenLines = 10s;
constexpr double kLong = 60;  // seconds
constexpr std::string_view kEraseLine = "\r\033[K";

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string describe(const std::string& kernel, const simulator::LaunchProgress& progress,
                     double seconds) {
  return fmt::format("heddle: {}: {} of {} blocks, {:.1f} M warp instructions, {:.1f} M/s", kernel,
                     progress.blocks_ended, progress.blocks,
                     static_cast<double>(progress.warp_instructions) * 1e-6,
                     static_cast<double>(progress.warp_instructions) * 1e-6 / seconds);
}

}  // namespace

ProgressLine::ProgressLine(bool terminal, const simulator::LaunchSettings& settings,
                           std::function<void(std::string_view)> write,
                           std::function<Clock::time_point()> now)
    : terminal_(terminal),
      timed_in_full_(settings.timing && settings.timing->sample == 1 &&
                     settings.timing->sample_instructions == 0),
      most_instructions_(simulator::instruction_limit(settings)),
      write_(std::move(write)),
      now_(std::move(now)) {}

// By the instructions of the kernel's launch before, where those are not used up; else by blocks.
// Of those that have begun and not ended, half is taken to be done once others have ended, and all
// of them before: the launch then takes at least so long.
ProgressLine::TimeLeft ProgressLine::time_left(const simulator::LaunchProgress& progress,
                                               double seconds) const {
  const auto blocks = static_cast<double>(progress.blocks);
  const auto executed = static_cast<double>(progress.warp_instructions);
  const auto known = instructions_per_block_.find(kernel_);
  if (known != instructions_per_block_.end() && executed > 0 && known->second * blocks > executed)
    return {seconds * (known->second * blocks - executed) / executed, "about"};
  const auto ended = static_cast<double>(progress.blocks_ended);
  const double begun = std::min(blocks, ended + static_cast<double>(blocks_at_once_));
  const double done = progress.blocks_ended == 0 ? begun : (ended + begun) / 2;
  if (done == 0 || done == blocks) return {};
  return {seconds * (blocks - done) / done, progress.blocks_ended == 0 ? "at least" : "about"};
}

void ProgressLine::before(simulator::Device& device, const simulator::LaunchRequest& request) {
  kernel_ = simulator::visible(simulator::display_name(request.kernel->name));
  // Untimed, blocks execute one after another.
  blocks_at_once_ = timed_in_full_ ? std::max<std::uint64_t>(
                                         simulator::resident_blocks(device.model(), request), 1)
                                   : 1;
  started_ = now_();
  due_ = started_ + kQuietFor;
  if (!terminal_ && last_line_) due_ = std::max(due_, *last_line_ + kBetweenLines);
  shown_ = false;
}

bool ProgressLine::during(const simulator::LaunchProgress& progress) {
  const Clock::time_point now = now_();
  if (now < due_) return true;
  due_ = now + (terminal_ ? Clock::duration(kBetweenUpdates) : Clock::duration(kBetweenLines));
  const double seconds = Seconds(now - started_).count();
  const TimeLeft left = time_left(progress, seconds);
  std::string text = describe(kernel_, progress, seconds);
  if (left.how != nullptr) text += fmt::format(", {} {} left", left.how, duration(left.seconds));
  suggest_sample(progress, seconds + left.seconds);
  tell_limit(progress, seconds);
  write_(terminal_ ? fmt::format("{}{}", kEraseLine, text) : text + "\n");
  last_line_ = now;
  shown_ = true;
  return true;
}

// Once in a run: what would be faster is for the user to choose.
void ProgressLine::suggest_sample(const simulator::LaunchProgress& progress, double whole) {
  constexpr std::uint64_t kManyWaves = 16;
  if (!timed_in_full_ || suggested_ || whole <= kLong) return;
  suggested_ = true;
  const bool waves = progress.blocks / blocks_at_once_ >= kManyWaves;
  write_(fmt::format(
      "{}heddle: timing all of {} takes about {}; {}\n", terminal_ ? kEraseLine : "", kernel_,
      duration(whole),
      waves ? "--sample 5% times some of its waves of blocks and executes the rest untimed"
            : "--sample 20M times slices of it; most of its results are then missing"));
}

// Once in a run: whether a kernel would ever end nobody can say.
void ProgressLine::tell_limit(const simulator::LaunchProgress& progress, double seconds) {
  if (told_limit_ || seconds < kLong || progress.blocks_ended != 0 ||
      progress.warp_instructions == 0)
    return;
  told_limit_ = true;
  const auto executed = static_cast<double>(progress.warp_instructions);
  const double left = std::max(0.0, static_cast<double>(most_instructions_) - executed);
  write_(fmt::format(
      "{}heddle: {}: no block has ended in {}; the launch is stopped after {:.0f} M warp "
      "instructions, in about {}: --timeout SECONDS or --max-instructions N stop it earlier\n",
      terminal_ ? kEraseLine : "", kernel_, duration(seconds),
      static_cast<double>(most_instructions_) * 1e-6, duration(seconds * left / executed)));
}

// What stands on a terminal is taken away.
void ProgressLine::after(simulator::Device&, const simulator::LaunchRequest& request,
                         const simulator::LaunchOutcome& outcome) {
  if (terminal_ && shown_) write_(kEraseLine);
  shown_ = false;
  if (!outcome.fault)
    instructions_per_block_[kernel_] =
        static_cast<double>(outcome.counts.executed()) / static_cast<double>(request.grid.count());
}

std::shared_ptr<ProgressLine> progress_on_stderr(const simulator::LaunchSettings& settings) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && terminal == std::string_view("dumb");
  return std::make_shared<ProgressLine>(isatty(STDERR_FILENO) != 0 && !dumb, settings,
                                        [](std::string_view text) {
                                          std::fwrite(text.data(), 1, text.size(), stderr);
                                          std::fflush(stderr);
                                        });
}

}  // namespace heddle::runtime
