#include "simulator/lanes/addresses.hpp"

#include "simulator/lanes/families.hpp"
#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// `at(lane)`: its address. `kAll`: all lanes are asked for, so that none needs to be left out.
template <bool kAll, class At>
inline AddressPattern find(u64* __restrict address, u32 width, Mask lanes, At&& at) {
  const u32 first_lane = kAll ? 0 : lanes.first();
  const u64 first = at(first_lane), row = first - u64{first_lane} * width;
  u64 gaps = 0, spread = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 here = at(i);
    const u64 there = kAll ? ~u64{0} : u64{0} - u64{(lanes.bits() & kLaneBits.bit[i]) != 0};
    address[i] = here;
    gaps |= (here ^ (row + i * width)) & there;
    spread |= (here ^ first) & there;
  }
  return {gaps, spread};
}
template <class At>
inline AddressPattern find_all(u64* __restrict address, u32 width, Mask lanes, At&& at) {
  return lanes == kFullMask ? find<true>(address, width, lanes, at)
                            : find<false>(address, width, lanes, at);
}

AddressPattern from_words(u64* __restrict address, u64 base, const u32* __restrict low, u32 shift,
                          u32 width, Mask lanes) {
  return find_all(address, width, lanes, [=](u32 i) { return base + (u64{low[i]} << shift); });
}

AddressPattern from_pairs(u64* __restrict address, u64 base, const u32* __restrict low,
                          const u32* __restrict high, u32 width, Mask lanes) {
  return find_all(address, width, lanes,
                  [=](u32 i) { return base + (u64{high[i]} << 32 | low[i]); });
}

}  // namespace

AddressFunctions address_functions() { return {from_words, from_pairs}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
