// The warps of a sub-core, and when each of them is examined again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/resident_warp.hpp"
#include "simulator/timing/scheduler.hpp"

namespace heddle::simulator::timing {

constexpr SlotMask slot_bit(unsigned slot) { return SlotMask{1} << slot; }

template <typename Visit>
void for_each_slot(SlotMask slots, Visit&& visit) {
  for (; slots != 0; slots &= slots - 1) visit(static_cast<unsigned>(std::countr_zero(slots)));
}

class WarpSlots {
 public:
  ResidentWarp& operator[](unsigned slot) { return warps_[slot]; }
  const ResidentWarp& operator[](unsigned slot) const { return warps_[slot]; }
  SlotMask resident() const { return resident_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(resident_)); }
  // By slot: those of the resident ones whose warps started later.
  const std::array<SlotMask, kSlots>& younger() const { return younger_; }

  // Takes a free slot, of which there must be one.
  unsigned add() {
    const auto slot = static_cast<unsigned>(std::countr_one(resident_));
    warps_.reserve(kSlots);
    if (slot == warps_.size()) warps_.emplace_back();
    const std::uint32_t instance = warps_[slot].instance + 1;
    warps_[slot] = {};
    warps_[slot].instance = instance;
    for_each_slot(resident_, [&](unsigned each) { younger_[each] |= slot_bit(slot); });
    younger_[slot] = 0;
    resident_ |= slot_bit(slot);
    return slot;
  }
  void remove(unsigned slot) {
    warps_[slot].warp = nullptr;
    resident_ &= ~slot_bit(slot);
  }

  // The warp is examined at that time, not before.
  void sleep(unsigned slot, Cycle until) {
    examine_at_[slot] = until;
    const SlotMask bit = slot_bit(slot);
    soon_ &= ~bit;
    later_ &= ~bit;
    if (until < soon_end_) {
      soon_ |= bit;
      next_soon_ = std::min(next_soon_, until);
    } else if (until != kNever) {
      later_ |= bit;
      next_later_ = std::min(next_later_, until);
    }
  }
  // Nothing changes before, for the warp in the slot.
  Cycle examine_at(unsigned slot) const { return examine_at_[slot]; }
  // Those of which it is known when they are examined.
  SlotMask awaited() const { return soon_ | later_; }
  // When the first warp is examined, at the earliest.
  Cycle next() const { return std::min(next_soon_, next_later_); }

  // Calls `examine` with the slot of each warp whose time has come; it must have it sleep again.
  template <typename Examine>
  void examine_due(Cycle now, Examine&& examine) {
    if (soon_end_ <= now) part_soon_from_later(now);
    next_soon_ = kNever;  // of those that are examined `sleep` says it
    Cycle next = kNever;
    for_each_slot(soon_, [&](unsigned slot) {
      if (examine_at_[slot] <= now) {
        soon_ &= ~slot_bit(slot);
        examine(slot);
      } else {
        next = std::min(next, examine_at_[slot]);
      }
    });
    next_soon_ = std::min(next_soon_, next);
  }

 private:
  // Most warps wait long, for memory; they are gone through now and then, not in each visit.
  void part_soon_from_later(Cycle now) {
    constexpr Cycle kSoon = 64;
    const SlotMask all = soon_ | later_;
    soon_ = later_ = 0;
    soon_end_ = now + kSoon;
    next_soon_ = next_later_ = kNever;
    for_each_slot(all, [this](unsigned slot) { sleep(slot, examine_at_[slot]); });
  }

  std::vector<ResidentWarp, BigPageAllocator<ResidentWarp, Fresh::anything>>
      warps_;  // of slots used so far
  std::array<SlotMask, kSlots> younger_{};
  std::array<Cycle, kSlots> examine_at_{};
  SlotMask resident_ = 0;
  // Warps of which it is known when to examine them: before `soon_end_`, or not; and when the
  // first of either, at the earliest.
  SlotMask soon_ = 0, later_ = 0;
  Cycle soon_end_ = 0;
  Cycle next_soon_ = kNever, next_later_ = kNever;
};

}  // namespace heddle::simulator::timing
