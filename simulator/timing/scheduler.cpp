#include "simulator/timing/scheduler.hpp"

#include <bit>
#include <stdexcept>

namespace heddle::simulator::timing {
namespace {

unsigned first_of(SlotMask mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

// Warps mostly start in the order of slots, so that the first slot asked is the one.
unsigned oldest(const Candidates& candidates, SlotMask among) {
  for (;;) {
    const unsigned slot = first_of(among);
    among &= ~(candidates.younger[slot] | SlotMask{1} << slot);
    if (among == 0) return slot;
  }
}

unsigned youngest(const Candidates& candidates, SlotMask among) {
  for (;;) {
    const unsigned slot = kSlots - 1 - static_cast<unsigned>(std::countl_zero(among));
    among &= candidates.younger[slot];
    if (among == 0) return slot;
  }
}

bool last_is_ready(const Candidates& candidates) {
  return (candidates.ready >> candidates.last & 1) != 0;
}

SlotMask of_oldest_block(const Candidates& candidates, SlotMask among) {
  for (SlotMask left = among; left != 0; left &= left - 1) {
    const SlotMask younger = candidates.of_younger_blocks[first_of(left)];
    among &= ~younger;
    left &= ~younger;
  }
  return among;
}

// The youngest of those that have been able to issue for the longest time.
unsigned longest_waiting(const Candidates& candidates, SlotMask among) {
  unsigned found = first_of(among);
  while ((among &= among - 1) != 0) {
    const unsigned slot = first_of(among);
    const Cycle since = candidates.ready_since[slot], before = candidates.ready_since[found];
    if (since < before || (since == before && (candidates.younger[found] >> slot & 1) != 0))
      found = slot;
  }
  return found;
}

// What the H200 does (turns.* and blocks.* of gpu/kernels/micro/timing/turns.cu). A warp goes on
// while it need not wait for its unit and its instructions do not have the yield hint. Else a warp
// of the oldest block follows, the one that has waited for the longest time.
unsigned greedy_then_longest_waiting(const Candidates& candidates, SchedulerState&) {
  SlotMask among = candidates.ready;
  if (last_is_ready(candidates)) {
    const SlotMask others = among & ~(SlotMask{1} << candidates.last);
    const bool waited =
        candidates.ready_since[candidates.last] != candidates.now || candidates.queued != 0;
    if (others == 0 || !(waited || candidates.last_yields)) return candidates.last;
    if (candidates.last_yields) among = others;
  }
  return longest_waiting(candidates, of_oldest_block(candidates, among));
}

unsigned greedy_then_youngest(const Candidates& candidates, SchedulerState&) {
  if (last_is_ready(candidates)) return candidates.last;
  return youngest(candidates, candidates.ready);
}

unsigned greedy_then_oldest(const Candidates& candidates, SchedulerState&) {
  return last_is_ready(candidates) ? candidates.last : oldest(candidates, candidates.ready);
}

unsigned oldest_first(const Candidates& candidates, SchedulerState&) {
  return oldest(candidates, candidates.ready);
}

// The next after the last one, in the order of slots.
unsigned round_robin(SlotMask among, unsigned last) {
  const SlotMask after = among & ~((SlotMask{2} << last) - 1);
  return first_of(after != 0 ? after : among);
}

unsigned loose_round_robin(const Candidates& candidates, SchedulerState&) {
  return round_robin(candidates.ready, candidates.last);
}

// Eight warps take turns; one that waits for memory makes place for another.
unsigned two_level(const Candidates& candidates, SchedulerState& state) {
  constexpr int kFirstLevel = 8;
  state.active &= candidates.resident & ~candidates.waiting_long;
  for (SlotMask others = candidates.ready & ~state.active;
       others != 0 && std::popcount(state.active) < kFirstLevel;) {
    const unsigned slot = oldest(candidates, others);
    state.active |= SlotMask{1} << slot;
    others &= ~(SlotMask{1} << slot);
  }
  const SlotMask among = candidates.ready & state.active;
  return round_robin(among != 0 ? among : candidates.ready, candidates.last);
}

}  // namespace

Pick scheduler(Policy policy) {
  switch (policy) {
    case Policy::greedy_then_longest_waiting:
      return greedy_then_longest_waiting;
    case Policy::greedy_then_youngest:
      return greedy_then_youngest;
    case Policy::greedy_then_oldest:
      return greedy_then_oldest;
    case Policy::loose_round_robin:
      return loose_round_robin;
    case Policy::two_level:
      return two_level;
    case Policy::oldest_first:
      return oldest_first;
  }
  throw std::logic_error("a policy without a scheduler");
}

}  // namespace heddle::simulator::timing
