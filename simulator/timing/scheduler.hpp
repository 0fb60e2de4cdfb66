// Which of the warps that can issue does. A policy is a query; the sub-core commits.
#pragma once

#include <array>
#include <cstdint>

#include "simulator/launch/timing_options.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

inline constexpr unsigned kSlots = 32;  // warps a sub-core can hold, at most
using SlotMask = std::uint32_t;

struct Candidates {
  SlotMask ready = 0;         // never empty
  SlotMask resident = 0;      // slots with a warp
  SlotMask waiting_long = 0;  // that wait for memory
  std::uint32_t last = 0;     // the slot that issued last
  bool last_yields = false;   // and what it issued had the yield hint
  SlotMask queued = 0;  // where it is ready and wants a queue: others that waited for room there
  Cycle now = 0;
  // By slot: of those in `ready`, since when they have lacked nothing but their unit.
  const std::array<Cycle, kSlots>& ready_since;
  // By slot: those of the resident ones whose warps started later, and those of them that are of
  // other blocks.
  const std::array<SlotMask, kSlots>& younger;
  const std::array<SlotMask, kSlots>& of_younger_blocks;
};

struct SchedulerState {
  SlotMask active = 0;  // two-level: the warps of the first level
};

using Pick = unsigned (*)(const Candidates& candidates, SchedulerState& state);
Pick scheduler(Policy policy);

}  // namespace heddle::simulator::timing
