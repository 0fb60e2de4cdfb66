#include "simulator/run/threaded_run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "simulator/base/held_signals.hpp"
#include "simulator/base/idle_cores.hpp"
#include "simulator/execute/saved_block.hpp"
#include "simulator/run/shared_blocks.hpp"

namespace heddle::simulator {
namespace {

// That what was in memory before may take, so that it can be put back: of all threads, and of each,
// so that it does not fill the host's caches.
constexpr std::uint64_t kMostBytes = 256 << 20, kMostBytesEach = 16 << 20;

// A kernel whose blocks were found to use the same memory so often is not tried again.
constexpr unsigned kMostConflicts = 2;

// Why the launch is one for one thread; empty: it is not.
std::string why_one_thread(const LaunchContext& launch) {
  if (launch.options->observer != nullptr) return "the launch is observed";
  if (launch.options->settings.random_schedule) return "its order is drawn at random";
  if (launch.kernel->conflicts >= kMostConflicts) return "blocks of its kernel use the same memory";
  if (launch.kernel->cancels_blocks) return "its blocks cancel others";
  return launch.kernel->tells_time ? "clock or multiprocessor read" : "";
}

// How many threads to use now for `blocks` blocks.
unsigned threads_for(const LaunchOptions& options, std::uint64_t blocks) {
  const unsigned wanted = options.settings.threads != 0 ? options.settings.threads : idle_cores();
  return static_cast<unsigned>(
      std::min<std::uint64_t>({wanted, blocks, ConflictTracker::kMaxThreads}));
}

// Runs work(0) here and work(1) … work(count - 1) on threads of their own.
template <typename Work>
void on_each_thread(unsigned count, Work&& work) {
  std::vector<std::jthread> workers;
  workers.reserve(count - 1);
  try {
    const HeldSignals held;
    for (unsigned i = 1; i < count; ++i) workers.emplace_back(work, i);
  } catch (const std::system_error&) {  // the machine has no more: those there are do it all
  }
  work(0);
}

// A copy that another core of the launch can go on with.
std::unique_ptr<Block> copy_of(const Core& core, const Block& block) {
  auto copy = std::make_unique<Block>();
  SavedBlock(core, block, nullptr, std::make_shared<std::uint64_t>(0)).load(core, *copy);
  return copy;
}

BlockRun sum(BlockRun one, BlockRun other) {
  one.counts.add(other.counts);
  one.seen |= other.seen;
  return one;
}

}  // namespace

BlockRun ThreadedRun::execute(Core& first, std::uint64_t resident, BlockRange blocks) {
  const LaunchOptions& options = *first.launch.options;
  std::string note;
  const LaunchSettings& settings = options.settings;
  std::uint64_t pause_at = alone_.value_or(settings.threads == 0 ? kAlone : settings.threads_after);
  const bool several = settings.threads != 1 && blocks.end - blocks.first > 1;
  if (several) note = why_one_thread(first.launch);
  if (!several || !note.empty()) pause_at = BlockTurns::kNeverPause;
  if (pause_at != BlockTurns::kNeverPause) first.contended = std::make_unique<ContendedWords>();
  const std::uint64_t second = blocks.first + 1;
  Watch watch(first.launch, blocks.first);
  BlockTurns turns(first, resident, watch);
  while (turns.run(in_order(blocks), pause_at)) {
    const std::uint64_t left = blocks.end - blocks.first + (turns.begun() != nullptr ? 1 : 0);
    if (left == 0) break;
    if (first.contended != nullptr && first.contended->any() && turns.begun() == nullptr &&
        blocks.first == second) {
      pause_at = first.issued + 1;  // to see what another block does
      continue;
    }
    if (const auto contended = std::move(first.contended);
        contended != nullptr && contended->found()) {
      note = "atomics of its blocks depend on their order";
      pause_at = BlockTurns::kNeverPause;
      continue;
    }
    const unsigned count = threads_for(options, left);
    pause_at = std::max<std::uint64_t>(1, 2 * first.issued);  // others may have ended by then
    if (count <= 1) continue;
    const Joined joined = join(first, resident, turns, blocks, count, watch);
    if (joined == Joined::failed) {
      note = "blocks used the same memory, or the launch failed";
      pause_at = BlockTurns::kNeverPause;
    } else {
      pause_at = 0;
    }
  }
  BlockRun run = sum(take_run(first), std::move(others_));
  run.note = std::move(note);
  return run;
}

// False: there is no memory for it.
bool ThreadedRun::make_cores(const Core& first, unsigned count) {
  try {
    tracker_.emplace(*first.launch.memory, first.launch.kernel->notes_reads);
  } catch (const std::bad_alloc&) {
    return false;
  }
  logs_.clear();
  cores_.clear();
  for (unsigned i = 0; i < count; ++i) {
    logs_.emplace_back(*tracker_, i);
    Core& core = *cores_.emplace_back(std::make_unique<Core>(first.launch));
    core.tell(&logs_.back());
    core.instruction_limit = first.instruction_limit - first.issued;
    if (first.unordered_reads != nullptr)
      core.unordered_reads = std::make_unique<UnorderedReads>(first.unordered_reads.get());
  }
  return true;
}

// Executes what is left of the blocks, or as many of them as can be taken back (kMostBytes), on
// several threads. Unless that is done, nothing has happened.
ThreadedRun::Joined ThreadedRun::join(Core& first, std::uint64_t resident, BlockTurns& turns,
                                      BlockRange& blocks, unsigned count, Watch& watch) {
  if (!make_cores(first, count)) return Joined::failed;
  SharedBlocks shared(blocks, count);
  std::atomic<bool> full{false};
  const bool in_parts = !revocable_ && first.unordered_reads == nullptr;
  const auto next_block = [&](unsigned thread) {
    if (in_parts && logs_[thread].bytes() > std::min(kMostBytes / count, kMostBytesEach))
      full.store(true, std::memory_order_relaxed);
    return shared.next(thread, full);
  };
  Watch others(first.launch, watch.ended(), first.issued, [&] { return tracker_->conflicts(); });
  std::vector<std::exception_ptr> failures(count);
  on_each_thread(count, [&](unsigned thread) {
    Core& core = *cores_[thread];
    try {
      BlockTurns own(core, resident, others);
      if (thread == 0 && turns.begun() != nullptr) own.take_over(copy_of(core, *turns.begun()));
      own.run([&] { return next_block(thread); });
    } catch (...) {
      failures[thread] = std::current_exception();
    }
    if (core.conflicted || core.fault || failures[thread]) others.stop();
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  if (const Joined joined = outcome(first, others); joined != Joined::done) {
    undo();
    return joined;
  }
  for (ConflictTracker::Log& log : logs_) log.merge();
  first.instruction_limit -= issued();
  blocks.first = shared.first_left();
  turns.forget_begun();
  watch.follow(others);
  take();
  return Joined::done;
}

ThreadedRun::Joined ThreadedRun::outcome(const Core& first, const Watch& watch) {
  const KernelFacts& kernel = *first.launch.kernel;
  if (tracker_->lacks_reads()) {
    kernel.notes_reads = true;
    return Joined::to_be_repeated;
  }
  const bool conflicted =
      std::ranges::any_of(cores_, [](const auto& core) { return core->conflicted; }) ||
      tracker_->conflicts();
  if (conflicted) ++kernel.conflicts;
  const bool over =
      conflicted || watch.stopped() || issued() >= first.instruction_limit - first.issued;
  return over ? Joined::failed : Joined::done;
}

std::uint64_t ThreadedRun::issued() const {
  std::uint64_t issued = 0;
  for (const auto& core : cores_) issued += core->issued;
  return issued;
}

// Two blocks on different threads that use one word stop the run, and each thread knows of what
// the first core did; so each finds all unordered reads that there are.
void ThreadedRun::take() {
  for (const auto& core : cores_) others_ = sum(std::move(others_), take_run(*core));
  cores_.clear();
}

void ThreadedRun::undo() {
  for (ConflictTracker::Log& log : logs_) log.undo();
  logs_.clear();
  cores_.clear();
}

bool ThreadedRun::wrote_host_memory() const {
  return std::ranges::any_of(logs_, &ConflictTracker::Log::wrote_host_memory);
}

}  // namespace heddle::simulator
