// A long launch of which slices of waves are timed (slices.hpp), and little more is executed.
#include <fmt/format.h>

#include "simulator/execute/stall_report.hpp"
#include "simulator/run/undoable_launch.hpp"
#include "simulator/timing/timed_launch.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kStretch = 1 << 20;  // instructions
constexpr std::uint64_t kForwardTurn = 64;   // so that a block's warps stay together

}  // namespace

// Executes some blocks whole, and puts back what they wrote. False: the launch stops, its blocks
// wait for one another, or it is too short for slices.
bool TimedLaunch::count_blocks() {
  const std::uint64_t begun = std::max<std::uint64_t>(1, next_block_);
  for (const Slices::Stratum& stratum : slices_->to_be_counted(core_.issued / begun))
    if (!count_block(stratum)) return false;
  if (!slices_->too_short()) return true;
  untimed_ = 0;
  not_sampled_ =
      fmt::format("it has fewer instructions than {} times what is timed", Slices::kLeastTimes);
  return false;
}

bool TimedLaunch::count_block(const Slices::Stratum& stratum) {
  Trial trial(context_);
  Core& core = trial.core();
  core.cycle = &clock_;
  Block block;
  core.start_block(block, stratum.block);
  const bool goes_on = bring_forward(core, block, ~std::uint64_t{0});
  trial.put_back();
  if (!goes_on) return false;
  if (!block.finished()) {
    not_sampled_ = "a block waits for others";
    return false;
  }
  slices_->add_counted(stratum, core.counts.take());
  return true;
}

// Executes up to `instructions` of a block's instructions, untimed. False: the launch
// stops.
bool TimedLaunch::bring_forward(Core& forward, Block& block, std::uint64_t instructions) {
  while (instructions != 0) {
    const std::uint64_t before = forward.issued;
    const Core::Turn turn =
        forward.run_block(block, std::min(instructions, kStretch), kForwardTurn);
    instructions -= forward.issued - before;
    untimed_ += forward.issued - before;
    core_.seen |= forward.seen;
    if (turn == Core::Turn::stopped) {
      core_.fault = std::move(forward.fault);
      return false;
    }
    if (turn != Core::Turn::out_of_time && turn != Core::Turn::waiting) return true;
    if (core_.issued + untimed_ >= core_.instruction_limit) {
      report_instruction_limit(core_, block);
      return false;
    }
    if (told_to_stop(block)) return false;
  }
  return true;
}

void TimedLaunch::run_slices() {
  Result beginning;
  add_sums(beginning);
  slices_->add_beginning(now_ - constants_.latency_launch, std::move(beginning));
  Core forward(context_);
  forward.instruction_limit = core_.instruction_limit;
  forward.cycle = &clock_;
  for (const Slices::Wave& wave : slices_->waves())
    if (!begin_wave(forward, wave) || measure_wave(wave) == Ran::stopped) return;
}

// On SMs that hold nothing; what L2 holds stays.
bool TimedLaunch::begin_wave(Core& forward, const Slices::Wave& wave) {
  place_sms();
  next_block_ = wave.first;
  for (std::uint64_t i = 0; i < wave.blocks; ++i) {
    auto block = std::make_unique<Block>();
    shared_.source.start_block(core_, *block, next_block_++);
    if (!bring_forward(forward, *block, wave.before)) return false;
    // One that is shorter makes place for another.
    if (block->finished() && next_block_ < blocks_)
      shared_.source.start_block(core_, *block, next_block_++);
    if (!block->finished()) sms_[i % sms_.size()].start_block(std::move(block), now_);
  }
  return true;
}

// The first half of a slice fills the caches.
TimedLaunch::Ran TimedLaunch::measure_wave(const Slices::Wave& wave) {
  const std::uint64_t half = wave.instructions / 2;
  Ran ran = run_until(core_.issued + half);
  if (ran != Ran::issued) return ran;
  Result before, after;
  add_sums(before);
  const Cycle begin = now_;
  ran = run_until(core_.issued + half);
  add_sums(after);
  if (ran != Ran::stopped) slices_->add_measured(wave, now_ - begin, before, after);
  return ran;
}

}  // namespace heddle::simulator::timing
