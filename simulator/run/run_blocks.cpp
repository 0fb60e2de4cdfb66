#include "simulator/run/run_blocks.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "simulator/execute/cluster.hpp"
#include "simulator/execute/spinning.hpp"
#include "simulator/execute/stall_report.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/run/threaded_run.hpp"

namespace heddle::simulator {
namespace {

// Blocks that have started and not ended, in the order of their turns; storage is used again.
class ResidentBlocks {
 public:
  void start(const Core& core, std::uint64_t linear) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Block>());
    core.start_block(*spare_.back(), linear);
    turns_.push_front(std::move(spare_.back()));
    spare_.pop_back();
  }
  // The blocks of one cluster.
  void start_cluster(const Core& core, const Dim3& shape, std::uint64_t cluster) {
    std::vector<Block*> blocks(shape.count());
    for (std::uint32_t rank = static_cast<std::uint32_t>(blocks.size()); rank-- > 0;) {
      start(core, block_in_cluster(core.launch.request->grid, shape, cluster, rank));
      blocks[rank] = turns_.front().get();
    }
    join_cluster(blocks);
  }
  // Calls f(block) for the `count` blocks whose turns come next.
  template <typename F>
  void for_each_of_first(std::uint64_t count, F&& f) const {
    for (std::uint64_t i = 0; i < count; ++i) f(*turns_[i]);
  }
  bool empty() const { return turns_.empty(); }
  std::size_t size() const { return turns_.size(); }
  Block& first() { return *turns_.front(); }
  void rotate() {
    turns_.push_back(std::move(turns_.front()));
    turns_.pop_front();
  }
  void end_first() {
    leave_cluster(*turns_.front());
    spare_.push_back(std::move(turns_.front()));
    turns_.pop_front();
  }

 private:
  std::deque<std::unique_ptr<Block>> turns_;
  std::vector<std::unique_ptr<Block>> spare_;
};

// Turns in a row in which every warp of the block only waited, or went round in a loop that changes
// nothing.
struct Standing {
  std::size_t waiting = 0, spinning = 0;
  void note(Core::Turn turn, bool executed) {
    const bool held_up = turn == Core::Turn::stuck && !executed;
    const bool spins = turn == Core::Turn::spinning || held_up;
    spinning = spins ? spinning + 1 : 0;
    waiting = spins || turn == Core::Turn::waiting ? waiting + 1 : 0;
  }
};

// No block gets on: until memory changes that a warp reads. False: nobody will change it, and the
// launch stops.
bool wait_for_others(Core& core, const Block& block, const BlockCounts& blocks) {
  if (core.log != nullptr) {
    core.stop_for_conflict();  // one thread alone knows what all blocks wait for
    return false;
  }
  const auto& wait = core.launch.options->wait;
  Standstill standstill{core.launch.request->kernel->name, {}, describe_standstill(core, blocks)};
  for (const AwaitedPlace& place : core.awaited) standstill.addresses.push_back(place.address);
  std::ranges::sort(standstill.addresses);
  auto& addresses = standstill.addresses;
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  // Where they are too many to know all, those that wait look themselves.
  const bool all_known = core.awaited.size() < kMostAwaited;
  const auto changed = [&] {
    core.forget_allocations();
    return std::ranges::any_of(core.awaited,
                               [&](const AwaitedPlace& each) { return has_changed(core, each); });
  };
  for (bool waited = false; !changed() && (all_known || !waited); waited = true) {
    if (!core.awaited.empty() && wait && wait(standstill)) continue;
    if (changed()) break;  // by the last one that could, before it began to wait for us
    report_deadlock(core, block, standstill.description);
    return false;
  }
  core.seen.waited_for_others = true;
  return true;
}

}  // namespace

bool Watch::go_on(const Core& core) {
  const auto& watch = launch_.options->watch;
  if (core.issued < due_) return true;
  due_ = core.issued + kBlockQuantum;
  launch_.memory->settle_pages();
  return !watch || watch({ended_.load(std::memory_order_relaxed), launch_.request->grid.count(),
                          core.issued * cores_});
}

void run_blocks(Core& core, bool is_first, std::uint64_t resident_limit, Watch& watch,
                const NextBlock& next) {
  Observer* const observer = core.launch.options->observer;
  const lanes::FloatEnvironment environment;  // whatever the program around us has set
  ResidentBlocks resident;
  const Dim3 cluster = cluster_shape(*core.launch.request);
  const std::uint64_t quantum = block_quantum(*core.launch.request);
  const auto start_next = [&] {
    const std::optional<std::uint64_t> number = next();
    if (!number) return false;
    if (cluster.count() == 1)
      resident.start(core, *number);
    else
      resident.start_cluster(core, cluster, *number);
    if (observer != nullptr)
      resident.for_each_of_first(cluster.count(),
                                 [&](const Block& block) { observer->block_started(core, block); });
    return true;
  };
  Standing standing;
  for (;;) {
    if (resident.empty() && !start_next()) return;
    const std::uint64_t before = core.issued;
    const Core::Turn turn = core.run_block(resident.first(), quantum, warp_turn(quantum));
    standing.note(turn, core.issued != before);
    core.look_closely = standing.waiting > resident.size();
    if (standing.spinning == 0) core.awaited.clear();
    if (standing.spinning > resident.size()) {
      if (!wait_for_others(core, resident.first(),
                           {resident.size(), watch.not_ended() - resident.size()}))
        return;
      standing = {};
      core.awaited.clear();
    }
    if (turn == Core::Turn::stopped) return;
    if (turn == Core::Turn::stuck && whole_cluster_stuck(resident.first())) {
      if (observer != nullptr) observer->stuck(core, resident.first());
      return report_deadlock(core, resident.first());
    }
    if (turn == Core::Turn::out_of_time && core.issued >= core.instruction_limit)
      return report_instruction_limit(core, resident.first());
    if (is_first && !watch.go_on(core)) return report_interrupt(core, resident.first());
    if (turn == Core::Turn::finished) {
      if (observer != nullptr) observer->block_ended(core, resident.first());
      watch.block_ended();
      resident.end_first();
      continue;
    }
    resident.rotate();
    if (turn != Core::Turn::stuck && resident.size() < resident_limit && start_next())
      standing = {};
  }
}

void run_blocks(Core& core, std::uint64_t resident, BlockRange blocks) {
  std::uint64_t next = blocks.first;
  Watch watch(core.launch, blocks.first);
  run_blocks(core, true, resident, watch, [&]() -> std::optional<std::uint64_t> {
    if (next == blocks.end) return std::nullopt;
    return next++;
  });
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
  ThreadedRun threaded(context);
  if (auto run = threaded.execute(resident, blocks)) return std::move(*run);
  Core core(context);
  core.instruction_limit = context.instruction_limit;
  run_blocks(core, resident, blocks);
  BlockRun run = take_run(core);
  run.note = threaded.why_not();
  return run;
}

}  // namespace heddle::simulator
