// Executing a launch, or some of its blocks, so that what they wrote can be put back.
#pragma once

#include <optional>

#include "simulator/execute/machine.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/memory_journal.hpp"

namespace heddle::simulator {

// Its core executes on one host thread, not observed and not timed.
class Trial {
 public:
  // `printed`: instead of the launch's own; null: nobody is to see it.
  explicit Trial(const LaunchContext& launch, PrintfFifo* printed = nullptr)
      : options_(*launch.options), context_(launch), journal_(*launch.memory) {
    context_.printed = printed;
    options_.observer = nullptr;
    options_.settings.timing.reset();
    context_.options = &options_;
    core_.emplace(context_);
    core_->journal = &journal_;
    core_->instruction_limit = launch.instruction_limit;
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Core& core() { return *core_; }
  LaunchOptions& options() { return options_; }
  // Whether it wrote to memory that the host program uses too, but for the allocation at `own`.
  bool wrote_host_memory(std::uint64_t own) const { return journal_.wrote_host_memory(own); }
  // Global memory becomes what it was.
  void put_back() { journal_.put_back(journal_.take()); }

 private:
  LaunchOptions options_;
  LaunchContext context_;
  MemoryJournal journal_;
  std::optional<Core> core_;
};

}  // namespace heddle::simulator
