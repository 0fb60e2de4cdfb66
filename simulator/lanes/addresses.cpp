#include "simulator/lanes/addresses.hpp"

#include "simulator/lanes/families.hpp"
#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// The bits in which the places of a row differ from its first. Counted on from it they carry into
// all bits below the highest that changes, but for those within a place.
u64 spread_of_row(u64 first, u32 width) {
  const u64 change = first ^ (first + (kWarpSize - 1) * u64{width});
  return change == 0 ? 0 : ~u64{0} >> __builtin_clzll(change) & (u64{0} - width);
}

constexpr struct LaneNumbers {
  u64 of[kWarpSize];
  constexpr LaneNumbers() : of() {
    for (u32 i = 0; i < kWarpSize; ++i) of[i] = i;
  }
} kLaneNumbers;

// `width` is a power of two.
AddressPattern fill_row(u64* __restrict address, u64 first, u32 width) {
  const u32 shift = static_cast<u32>(__builtin_ctz(width));
  for (u32 i = 0; i < kWarpSize; ++i) address[i] = first + (kLaneNumbers.of[i] << shift);
  return {true, spread_of_row(first, width)};
}

// `at(lane)`: its address. `kAll`: all lanes are asked for, so that none needs to be left out.
template <bool kAll, class At>
inline AddressPattern find(u64* __restrict address, Mask lanes, At&& at) {
  const u64 first = at(kAll ? 0 : lanes.first());
  u64 spread = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 here = at(i);
    const u64 there = kAll ? ~u64{0} : u64{0} - u64{(lanes.bits() & kLaneBits.bit[i]) != 0};
    address[i] = here;
    spread |= (here ^ first) & there;
  }
  return {false, spread};
}

// Rows are most of all accesses, and their words say that they are ones: half as much to look at as
// addresses.
AddressPattern from_words(u64* __restrict address, u64 base, const u32* __restrict low, u32 shift,
                          u32 width, Mask lanes) {
  const auto at = [=](u32 i) { return base + (u64{low[i]} << shift); };
  if (lanes != kFullMask) return find<false>(address, lanes, at);
  const u32 first = low[0], step = width >> shift;
  u32 gaps[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i) gaps[i] = low[i] ^ (first + i * step);
  const bool wraps = first + (kWarpSize - 1) * step < first;
  return step << shift == width && !wraps && !any_set(gaps) ? fill_row(address, at(0), width)
                                                            : find<true>(address, lanes, at);
}

AddressPattern from_pairs(u64* __restrict address, u64 base, const u32* __restrict low,
                          const u32* __restrict high, u32 width, Mask lanes) {
  const auto at = [=](u32 i) { return base + (u64{high[i]} << 32 | low[i]); };
  if (lanes != kFullMask) return find<false>(address, lanes, at);
  const u32 first = low[0], first_high = high[0];
  u32 gaps[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u32 carry = low[i] < first ? 1 : 0;
    gaps[i] = (low[i] ^ (first + i * width)) | (high[i] ^ (first_high + carry));
  }
  return !any_set(gaps) ? fill_row(address, at(0), width) : find<true>(address, lanes, at);
}

}  // namespace

AddressFunctions address_functions() { return {from_words, from_pairs}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
