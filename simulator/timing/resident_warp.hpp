// A warp on an SM, as the issue logic sees it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simulator/launch/timing_result.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/program.hpp"

namespace heddle::simulator {
struct Warp;
}

namespace heddle::simulator::timing {

// One of the six counters that guard results. When it will be zero is known ahead, but for answers
// of L2.
struct Scoreboard {
  Cycle zero = 0;
  std::uint32_t unknown = 0;  // instructions whose answers are outstanding
  Stall awaited = Stall::short_scoreboard;

  void settle(Cycle done) {
    --unknown;
    zero = std::max(zero, done);
  }
};

// An instruction that a scoreboard counts, where a program waits for some of them only.
struct CountedResult {
  std::uint64_t number = 0;  // of the instruction, in the warp
  Cycle done = kNever;
  std::uint8_t scoreboard = kNoScoreboard;
  bool is_group = false;      // all asynchronous copies before it
  std::uint32_t unknown = 0;  // of a group: copies whose ends are not known, and the latest known
  Cycle latest = 0;
};

inline constexpr std::uint32_t kNoLine = ~0u;

// In the host's cache lines: what each issue looks at is in the first ones.
struct alignas(64) ResidentWarp {
  Warp* warp = nullptr;          // null: the slot is free
  std::uint32_t pc = 0;          // of the next instruction
  std::uint32_t line = kNoLine;  // the code line it has asked for
  // What lies before it has been executed, though it has not issued yet.
  std::uint32_t computed_to = 0;
  std::uint64_t issued = 0;
  Cycle stalled_until = 0;      // by the stall count of the instruction before
  Cycle next_issue = 0;         // not before either, after that for the reason `until_then`
  Cycle fetches_from = kNever;  // from then on it waits for its instruction instead
  Cycle fetched = 0;
  Cycle counted_until = 0;  // cycles before are in the sums
  Cycle opens = 0;          // the barrier behind which it is, as the last to come

  Stall state = Stall::wait;
  Stall until_then = Stall::wait;
  bool at_barrier = false, at_fence = false, ended = false;
  std::uint32_t block = 0;
  std::uint32_t seen_at = 0;                   // while it is held: where it is seen to wait; else 0
  std::array<Cycle, kIssuesKept> issued_at{};  // by the number of the instruction
  std::uint32_t instance = 0;                  // differs from that of the warp here before
  std::uint64_t operand_of = 0;  // the instruction, counted from 1, whose constant it has asked for
  Cycle operand_there = 0;
  Cycle line_behind = 0;  // of the line on which it has landed: the next one is not there before
  Cycle stores_left = 0;  // when the sources of its stores have been read; 0: no store
  Cycle began = 0;
  std::uint32_t unsent_stores = 0;  // that wait for the memory unit

  // And one more, of results that nothing awaits but the warp's end (kUnguarded).
  std::array<Scoreboard, kScoreboards + 1> scoreboards{};
  std::uint64_t fenced_loads = 0;  // of the copy engine, before the fence at which it waits
  Cycle bulk_read = 0;             // when the copy engine has read all that the warp had it store
  Scoreboard stores, copies;       // those outstanding; asynchronous copies to shared memory
  std::vector<CountedResult> counted;

  // One of the scoreboard's outstanding results will be there at `done`.
  void settle_result(std::uint8_t scoreboard, std::uint64_t instruction, Cycle done) {
    if (scoreboard == kNoScoreboard) return;
    scoreboards[scoreboard].settle(done);
    for (CountedResult& each : counted)
      if (!each.is_group && each.number == instruction && each.scoreboard == scoreboard)
        each.done = done;
  }
  // The same of an asynchronous copy, and of the groups that it is in.
  void settle_copy(std::uint64_t instruction, Cycle done) {
    copies.settle(done);
    for (CountedResult& each : counted) {
      if (!each.is_group || each.number < instruction) continue;
      each.latest = std::max(each.latest, done);
      if (--each.unknown == 0) each.done = each.latest;
    }
  }
};

}  // namespace heddle::simulator::timing
