// Cache policies that a program makes itself (PTX createpolicy, .L2::cache_hint): what is counted
// of them. They change nothing else here.
#pragma once

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// The upper word of an access's descriptor, as an H200 counts it: the bit that says there is such a
// policy, what it asks for on a hit, and on a miss (gpu/kernels/micro/cache_hints, seven kinds of
// policy on loads, stores, atomics, reductions and copies).
inline constexpr std::uint32_t kOwnPolicy = 1u << 28, kMissFirst = 1u << 24;
inline constexpr unsigned kHitShift = 25;
enum class OnHit : std::uint8_t { normal, first, last, demote };

inline void add_policy(InstructionCounts& counts, std::uint32_t descriptor) {
  switch (static_cast<OnHit>(descriptor >> kHitShift & 3)) {
    case OnHit::normal:
      ++counts.hit_normal;
      break;
    case OnHit::first:
      ++counts.hit_first;
      break;
    case OnHit::last:
      ++counts.hit_last;
      break;
    case OnHit::demote:
      ++counts.hit_demote;
      break;
  }
  if ((descriptor & kMissFirst) != 0) ++counts.miss_first;
}

// For each execution of an access, also where its guard holds for no lane (measured). Bulk copies
// count none.
inline void count_policy(Core& core, const Warp& warp, const Step& step) {
  if (!step.address.has_descriptor) return;
  const std::uint32_t upper = destination_row(warp, step.address.uniform_row)[kWarpSize];
  if ((upper & kOwnPolicy) != 0) [[unlikely]]
    add_policy(core.counts_of(step), upper);
}

}  // namespace heddle::simulator
