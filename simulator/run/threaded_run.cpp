#include "simulator/run/threaded_run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

namespace heddle::simulator {

// How many are wanted and possible.
unsigned ThreadedRun::threads() {
  unsigned wanted = launch_.options->threads;
  if (wanted == 0) wanted = std::max(1u, std::thread::hardware_concurrency());
  wanted = static_cast<unsigned>(std::min<std::uint64_t>(
      {wanted, launch_.request->grid.count(), ConflictTracker::kMaxThreads}));
  if (wanted == 1) return 1;
  why_not_ = launch_.options->observer != nullptr ? "the launch is observed"
                                                  : launch_.program->facts->needs_one_thread();
  return why_not_.empty() ? wanted : 1;
}

std::optional<BlockRun> ThreadedRun::execute(std::uint64_t resident, BlockRange blocks) {
  const unsigned count = threads();
  if (count == 1) return std::nullopt;
  tracker_.emplace(*launch_.memory);
  logs_.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    logs_.emplace_back(*tracker_, i);
    cores_.push_back(std::make_unique<Core>(launch_));
    cores_.back()->log = &logs_.back();
    cores_.back()->instruction_limit = launch_.instruction_limit;
  }
  std::atomic<std::uint64_t> next{blocks.first};
  std::atomic<bool> stop{false};
  Watch watch(launch_, blocks.first, count);
  const NextBlock next_block = [&]() -> std::optional<std::uint64_t> {
    if (stop.load(std::memory_order_relaxed)) return std::nullopt;
    const std::uint64_t block = next.fetch_add(1, std::memory_order_relaxed);
    if (block >= blocks.end) return std::nullopt;
    return block;
  };
  std::vector<std::exception_ptr> failures(count);
  const auto work = [&](unsigned thread) {
    Core& core = *cores_[thread];
    try {
      run_blocks(core, thread == 0, resident, watch, next_block);
    } catch (...) {
      failures[thread] = std::current_exception();
    }
    if (core.conflicted || core.fault || failures[thread])
      stop.store(true, std::memory_order_relaxed);
  };
  {
    std::vector<std::jthread> workers;
    workers.reserve(count - 1);
    try {
      for (unsigned i = 1; i < count; ++i) workers.emplace_back(work, i);
    } catch (const std::system_error&) {  // the machine has no more: those there are do it all
    }
    work(0);
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  std::uint64_t issued = 0;
  for (const auto& core : cores_) issued += core->issued;
  if (stop.load() || issued >= launch_.instruction_limit) {
    undo();
    why_not_ = "blocks used the same memory, or the launch failed";
    return std::nullopt;
  }
  return take();
}

// Two blocks on different threads that use one word stop the run; so each thread finds all
// unordered reads that there are.
BlockRun ThreadedRun::take() {
  BlockRun run;
  for (const auto& core : cores_) {
    const BlockRun part = take_run(*core);
    run.counts.add(part.counts);
    run.seen |= part.seen;
  }
  return run;
}

void ThreadedRun::undo() {
  for (ConflictTracker::Log& log : logs_) log.undo();
}

bool ThreadedRun::wrote_host_memory() const {
  return std::ranges::any_of(logs_, &ConflictTracker::Log::wrote_host_memory);
}

}  // namespace heddle::simulator
