#include "simulator/run/run_blocks.hpp"

#include <utility>

#include "simulator/launch/launch_shape.hpp"
#include "simulator/run/block_turns.hpp"
#include "simulator/run/threaded_run.hpp"

namespace heddle::simulator {

bool Watch::go_on() {
  const std::uint64_t now = issued_.load(std::memory_order_relaxed);
  const bool looks = now >= look_due_.load(std::memory_order_relaxed);
  if (!looks && now < due_.load(std::memory_order_relaxed)) return true;
  const std::unique_lock asking(asking_, std::try_to_lock);
  if (!asking) return true;  // another one does
  if (looks) {
    look_due_.store(before_ + kLooksApart * (now - before_), std::memory_order_relaxed);
    if (is_over_()) stop();
  }
  if (now < due_.load(std::memory_order_relaxed)) return true;
  due_.store(now + kBlockQuantum, std::memory_order_relaxed);
  launch_.memory->settle_pages();
  const auto& watch = launch_.options->watch;
  return !watch || watch({ended(), launch_.request->grid.count(), now});
}

void run_blocks(Core& core, std::uint64_t resident, BlockRange blocks) {
  Watch watch(core.launch, blocks.first);
  BlockTurns(core, resident, watch).run(in_order(blocks));
}

BlockRange whole_grid(const LaunchContext& context) {
  return {0, context.request->grid.count() / cluster_shape(*context.request).count()};
}

BlockRun take_run(Core& core) {
  BlockRun run{core.counts.take(), std::move(core.fault), core.seen, {}};
  if (core.unordered_reads != nullptr) run.seen.unordered_reads |= core.unordered_reads->found();
  return run;
}

BlockRun run_grid(const LaunchContext& context, std::uint64_t resident) {
  return run_part(context, resident, whole_grid(context));
}

BlockRun run_part(const LaunchContext& context, std::uint64_t resident, BlockRange blocks) {
  Core core(context);
  core.instruction_limit = context.instruction_limit;
  return ThreadedRun().execute(core, resident, blocks);
}

}  // namespace heddle::simulator
