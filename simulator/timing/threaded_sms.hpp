// The SMs of a launch on several host threads, which does not change what comes out.
//
// A launch begins on one thread. Where it goes on for long, others join: each has a core, a clock
// and sums of its own. What must happen in the order of SMs waits for those before
// (sm_threads.hpp), or is noted and looked at when the quantum is over. Where that is not enough
// (shared_accesses.hpp) the launch has failed, and begins anew on one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/run/run_blocks.hpp"
#include "simulator/timing/shared_accesses.hpp"
#include "simulator/timing/sm.hpp"
#include "simulator/timing/sm_threads.hpp"

namespace heddle::simulator::timing {

// Why a launch that is timed cannot be on several threads; empty: it can.
std::string why_one_thread(const LaunchContext& launch, const Options& options);
// Whether several would be taken for a launch that goes on for long.
bool wants_threads(const LaunchOptions& options);

// On the calling thread.
bool run_in_order(std::deque<Sm>& sms, Cycle end);

class ThreadedSms {
 public:
  // `first`: what the calling thread works with. All must outlive it. `alone`: warp instructions
  // that it executes before others join it. Throws std::bad_alloc.
  ThreadedSms(SmContext& first, std::deque<Sm>& sms, SharedAccesses& accesses, std::uint64_t alone);
  ~ThreadedSms();
  // Those of LaunchOptions.
  static std::uint64_t alone_by(const LaunchOptions& options);

  // All SMs issue all that issues before `end`. False: the launch stops.
  bool run(Cycle end);
  // It stops, and begins anew on one thread; `undo` puts back what it has written.
  bool failed() const { return failed_; }
  void undo();
  // What the other threads have issued, counted and seen.
  std::uint64_t issued() const;
  void add_to(BlockRun& run);
  void add_to(std::vector<StallCycles>& stalls) const;
  // Quanta that several threads shared.
  std::uint64_t shared_quanta() const { return shared_quanta_; }

 private:
  struct Other;  // a thread's own state

  void join_others();
  bool run_alone(Cycle end);
  bool run_side_by_side(Cycle end);
  void run_some(unsigned thread, std::size_t first, std::size_t end);
  void run_one(unsigned thread, std::size_t sm);
  void look_at_notes();
  void leave_to_one_thread();

  SmContext& first_;
  std::deque<Sm>& sms_;
  std::uint64_t join_at_;
  SharedAccesses* accesses_;               // null: the rest of the launch is for one thread
  std::vector<SharedAccesses::Log> logs_;  // by thread
  std::vector<std::unique_ptr<Other>> others_;
  std::vector<std::vector<UnorderedReads::Note>> notes_;  // by SM
  std::optional<SmThreads> threads_;
  Cycle end_ = 0;  // of the quantum
  std::uint64_t last_issued_ = 0, shared_quanta_ = 0;
  unsigned alone_quanta_ = 0;  // to come, as others would wait
  std::atomic<bool> stopped_{false};
  bool failed_ = false;
};

}  // namespace heddle::simulator::timing
