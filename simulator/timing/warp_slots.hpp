// The warps of a sub-core, and when each of them is examined again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "simulator/timing/big_page_vector.hpp"
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
  unsigned slot_of(const ResidentWarp& warp) const {
    return static_cast<unsigned>(&warp - &warps_[0]);
  }
  SlotMask resident() const { return resident_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(resident_)); }
  // By slot: those of the resident ones whose warps started later.
  const std::array<SlotMask, kSlots>& younger() const { return younger_; }
  // Those of them that are of another block.
  const std::array<SlotMask, kSlots>& of_younger_blocks() const { return of_younger_blocks_; }

  // Takes a free slot, of which there must be one, for a warp of `block`.
  unsigned add(std::uint32_t block) {
    const auto slot = static_cast<unsigned>(std::countr_one(resident_));
    if (slot == warps_.size()) {
      if (slot % kSlotsAtOnce == 0) warps_.reserve(slot + kSlotsAtOnce);
      warps_.emplace_back();
    }
    const std::uint32_t instance = warps_[slot].instance + 1;
    warps_[slot] = {};
    warps_[slot].instance = instance;
    warps_[slot].block = block;
    for_each_slot(resident_, [&](unsigned each) {
      younger_[each] |= slot_bit(slot);
      of_younger_blocks_[each] &= ~slot_bit(slot);
      if (warps_[each].block != block) of_younger_blocks_[each] |= slot_bit(slot);
    });
    younger_[slot] = of_younger_blocks_[slot] = 0;
    resident_ |= slot_bit(slot);
    return slot;
  }
  void remove(unsigned slot) {
    warps_[slot].warp = nullptr;
    resident_ &= ~slot_bit(slot);
  }

  // The warp is examined at that time, not before.
  void sleep(unsigned slot, Cycle until) {
    const SlotMask bit = slot_bit(slot);
    if ((near_ & bit) != 0) take_out(slot);
    far_ &= ~bit;
    examine_at_[slot] = until;
    if (until < begin_ + kSpan) {
      put_near(slot, std::max(begin_, until));
    } else if (until != kNever) {
      far_ |= bit;
      next_far_ = std::min(next_far_, until);
    }
  }
  // Nothing changes before, for the warp in the slot.
  Cycle examine_at(unsigned slot) const { return examine_at_[slot]; }
  // Those of which it is known when they are examined.
  SlotMask awaited() const { return near_ | far_; }
  // When the first warp is examined, at the earliest.
  Cycle next() const { return std::min(next_near_, next_far_); }
  // Those examined at `now`, where no others were to be before that and it is known of all.
  SlotMask due_at(Cycle now) const {
    return now == next_near_ && now + kSpan <= next_far_ ? at_[now % kSpan] : 0;
  }
  // Whether those examined at `next`, which is `next()`, or before are among `slots`.
  bool are_of(Cycle next, SlotMask slots) const {
    return next < next_far_ && (at_[next % kSpan] & ~slots) == 0;
  }

  // None was to be examined up to `now`.
  void pass(Cycle now) { begin_ = now; }
  // Takes out those that `due_at` has told of.
  void take_next(Cycle now) {
    near_ &= ~std::exchange(at_[now % kSpan], 0);
    used_ &= ~(std::uint64_t{1} << now % kSpan);
    begin_ = now;
    next_near_ = find_near();
  }
  // Takes out those whose time has come. They must be told to sleep again.
  SlotMask take_due(Cycle now) {
    SlotMask due = 0;
    for (; next_near_ <= now; next_near_ = find_near()) {
      due |= std::exchange(at_[next_near_ % kSpan], 0);
      used_ &= ~(std::uint64_t{1} << next_near_ % kSpan);
    }
    near_ &= ~due;
    begin_ = now;
    if (next_far_ < now + kSpan) due |= bring_near(now);
    return due;
  }

 private:
  static constexpr unsigned kSlotsAtOnce = 16;
  static constexpr Cycle kSpan = 64;
  Cycle find_near() const {
    if (used_ == 0) return kNever;
    const int begin = static_cast<int>(begin_ % kSpan);
    return begin_ + static_cast<Cycle>(std::countr_zero(std::rotr(used_, begin)));
  }
  void put_near(unsigned slot, Cycle time) {
    near_ |= slot_bit(slot);
    next_near_ = std::min(next_near_, time);
    at_[time % kSpan] |= slot_bit(slot);
    used_ |= std::uint64_t{1} << time % kSpan;
    place_[slot] = static_cast<std::uint8_t>(time % kSpan);
  }
  void take_out(unsigned slot) {
    const unsigned place = place_[slot];
    near_ &= ~slot_bit(slot);
    if ((at_[place] &= ~slot_bit(slot)) != 0) return;
    used_ &= ~(std::uint64_t{1} << place);
    if (next_near_ % kSpan == place) next_near_ = find_near();
  }
  // Most warps wait long, for memory; they are gone through now and then, not in each visit.
  SlotMask bring_near(Cycle now) {
    SlotMask due = 0;
    next_far_ = kNever;
    for_each_slot(std::exchange(far_, 0), [&](unsigned slot) {
      if (examine_at_[slot] <= now)
        due |= slot_bit(slot);
      else
        sleep(slot, examine_at_[slot]);
    });
    return due;
  }

  BigPageVector<ResidentWarp> warps_;  // of slots used so far
  // Warps of which it is known when to examine them. Of those before begin_ + kSpan: by time, which
  // times have any, the first of those, and by slot; of the others: when the first is examined, at
  // the earliest.
  Cycle begin_ = 0, next_near_ = kNever, next_far_ = kNever;
  std::uint64_t used_ = 0;
  SlotMask near_ = 0, far_ = 0;
  SlotMask resident_ = 0;
  std::array<std::uint8_t, kSlots> place_{};
  std::array<SlotMask, kSpan> at_{};
  std::array<Cycle, kSlots> examine_at_{};
  std::array<SlotMask, kSlots> younger_{}, of_younger_blocks_{};
};

}  // namespace heddle::simulator::timing
