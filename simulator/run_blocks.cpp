#include "simulator/run_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "simulator/cluster.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/stall_report.hpp"
#include "simulator/trial.hpp"

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

// Asks the launch's owner now and then whether to go on, and tells how far it is. The first of the
// launch's cores does that; what the others have issued is taken to be as much.
class Watch {
 public:
  Watch(const LaunchContext& launch, std::uint64_t ended, unsigned cores = 1)
      : launch_(launch), cores_(cores), ended_(ended) {}
  void block_ended() { ended_.fetch_add(1, std::memory_order_relaxed); }
  // False: the launch is to stop.
  bool go_on(const Core& core) {
    const auto& watch = launch_.options->watch;
    if (core.issued < due_ || !watch) return true;
    due_ = core.issued + kBlockQuantum;
    return watch({ended_.load(std::memory_order_relaxed), launch_.request->grid.count(),
                  core.issued * cores_});
  }

 private:
  const LaunchContext& launch_;
  unsigned cores_;
  std::atomic<std::uint64_t> ended_;
  std::uint64_t due_ = kBlockQuantum;  // of the first core's instructions
};

// Runs blocks, or clusters of them, on one core until `next` has none left. A block that cannot go
// on alone gives way to another one, as far as the GPU could hold them at once.
template <typename NextBlock>
void run_blocks(Core& core, bool is_first, std::uint64_t resident_limit, Watch& watch,
                NextBlock&& next) {
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
  std::size_t spinning = 0;  // turns in a row in which nobody got anywhere
  for (;;) {
    if (resident.empty() && !start_next()) return;
    const Core::Turn turn = core.run_block(resident.first(), quantum, warp_turn(quantum));
    spinning = turn == Core::Turn::spinning ? spinning + 1 : 0;
    if (spinning > resident.size()) return report_deadlock(core, resident.first());
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
    if (turn != Core::Turn::stuck && resident.size() < resident_limit && start_next()) spinning = 0;
  }
}

BlockRange whole_grid(const LaunchContext& context) {
  return {0, context.request->grid.count() / cluster_shape(*context.request).count()};
}

void run_every_block(Core& core, std::uint64_t resident, BlockRange blocks) {
  std::uint64_t next = blocks.first;
  Watch watch(core.launch, blocks.first);
  run_blocks(core, true, resident, watch, [&]() -> std::optional<std::uint64_t> {
    if (next == blocks.end) return std::nullopt;
    return next++;
  });
}

BlockRun take_run(Core& core, std::string note) {
  return {core.counts.take(),    std::move(core.fault), core.uncounted_reunions, core.printed,
          core.read_unordered(), std::move(note),       core.used_heap,          core.patches_show};
}

BlockRun run_on_one_thread(const LaunchContext& context, std::uint64_t resident, BlockRange blocks,
                           std::string note) {
  Core core(context);
  core.instruction_limit = context.instruction_limit;
  run_every_block(core, resident, blocks);
  return take_run(core, std::move(note));
}

// Runs on several threads; nothing when the result would depend on how they interleave, with memory
// as it was before.
std::optional<BlockRun> run_on_threads(const LaunchContext& context, std::uint64_t resident,
                                       BlockRange blocks, unsigned threads) {
  ConflictTracker tracker(*context.memory);
  std::vector<ConflictTracker::Log> logs;
  std::vector<std::unique_ptr<Core>> cores;
  logs.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    logs.emplace_back(tracker, i);
    cores.push_back(std::make_unique<Core>(context));
    cores.back()->log = &logs.back();
    cores.back()->instruction_limit = context.instruction_limit;
  }
  std::atomic<std::uint64_t> next{blocks.first};
  std::atomic<bool> stop{false};
  Watch watch(context, blocks.first, threads);
  const auto work = [&](Core& core) {
    run_blocks(core, &core == cores[0].get(), resident, watch,
               [&]() -> std::optional<std::uint64_t> {
                 if (stop.load(std::memory_order_relaxed)) return std::nullopt;
                 const std::uint64_t block = next.fetch_add(1, std::memory_order_relaxed);
                 if (block >= blocks.end) return std::nullopt;
                 return block;
               });
    if (core.conflicted || core.fault) stop.store(true, std::memory_order_relaxed);
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads; ++i) workers.emplace_back([&, i] { work(*cores[i]); });
    work(*cores[0]);
  }
  std::uint64_t issued = 0;
  for (const auto& core : cores) issued += core->issued;
  if (stop.load() || issued >= context.instruction_limit) {
    for (ConflictTracker::Log& log : logs) log.undo();
    return std::nullopt;
  }
  BlockRun run{cores[0]->counts.take(), std::nullopt, false, false, false, {}};
  for (unsigned i = 1; i < threads; ++i) {
    const std::vector<InstructionCounts> counts = cores[i]->counts.take();
    for (std::size_t pc = 0; pc < run.counts.size(); ++pc) run.counts[pc] += counts[pc];
  }
  run.uncounted_reunions =
      std::ranges::any_of(cores, [](const auto& core) { return core->uncounted_reunions; });
  // Two blocks on different threads that use one word stop the run; so each thread finds the rest.
  run.unordered_reads =
      std::ranges::any_of(cores, [](const auto& core) { return core->read_unordered(); });
  run.patches_show =
      std::ranges::any_of(cores, [](const auto& core) { return core->patches_show; });
  return run;
}

// False: it came to a deadlock.
bool run_whole(Trial& trial, const LaunchContext& launch, std::uint64_t resident) {
  run_every_block(trial.core(), resident, whole_grid(launch));
  return !trial.core().fault || trial.core().fault->kind != Fault::Kind::deadlock;
}

std::optional<Deadlock> deadlock_of(const LaunchContext& launch, std::uint64_t resident) {
  Trial trial(launch);
  const bool ended = run_whole(trial, launch, resident);
  trial.put_back();
  if (ended) return std::nullopt;
  return Deadlock{std::move(*trial.core().fault), trial.core().issued};
}

// Runs on several threads where that is wanted and possible; else what `on_one` does, which is told
// why not.
template <typename Run, typename OnOne>
Run run_part_or(const LaunchContext& context, std::uint64_t resident, BlockRange blocks,
                OnOne&& on_one) {
  unsigned threads = context.options->threads;
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::min<std::uint64_t>(
      {threads, context.request->grid.count(), ConflictTracker::kMaxThreads}));
  if (threads == 1) return on_one({});
  if (context.options->observer != nullptr) return on_one("the launch is observed");
  if (const std::string& reason = context.program->facts->needs_one_thread(); !reason.empty())
    return on_one(reason);
  if (std::optional<BlockRun> run = run_on_threads(context, resident, blocks, threads))
    return std::move(*run);
  return on_one("blocks used the same memory, or the launch failed");
}

}  // namespace

std::optional<Deadlock> find_deadlock(const LaunchContext& launch, std::uint64_t resident) {
  if (launch.reconvergence == Reconvergence::barriers) return std::nullopt;
  return deadlock_of(launch, resident);
}

bool deadlocks(const LaunchContext& launch, std::uint64_t resident) {
  return deadlock_of(launch, resident).has_value();
}

std::optional<BlockRun> run_grid_unless_deadlock(const LaunchContext& launch,
                                                 std::uint64_t resident) {
  const auto on_one = [&](std::string note) -> std::optional<BlockRun> {
    std::string printed;
    Trial trial(launch, [&](std::string_view text) { printed += text; });
    if (!run_whole(trial, launch, resident)) {
      trial.put_back();
      return std::nullopt;
    }
    if (!printed.empty() && launch.options->print) launch.options->print(printed);
    return take_run(trial.core(), std::move(note));
  };
  return run_part_or<std::optional<BlockRun>>(launch, resident, whole_grid(launch), on_one);
}

BlockRun run_grid(const LaunchContext& context, std::uint64_t resident) {
  return run_part(context, resident, whole_grid(context));
}

BlockRun run_part(const LaunchContext& context, std::uint64_t resident, BlockRange blocks) {
  return run_part_or<BlockRun>(context, resident, blocks, [&](std::string note) {
    return run_on_one_thread(context, resident, blocks, std::move(note));
  });
}

}  // namespace heddle::simulator
