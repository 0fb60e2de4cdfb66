#include "simulator/lanes/addresses.hpp"

#include "simulator/lanes/families.hpp"
#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

bool from_words(u64* __restrict address, u64 base, const u32* __restrict low, u32 shift,
                u32 width) {
  const u64 first = base + (u64{low[0]} << shift);
  u64 differences = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 at = base + (u64{low[i]} << shift);
    address[i] = at;
    differences |= at ^ (first + i * width);
  }
  return differences == 0;
}

bool from_pairs(u64* __restrict address, u64 base, const u32* __restrict low,
                const u32* __restrict high, u32 width) {
  const u64 first = base + (u64{high[0]} << 32 | low[0]);
  u64 differences = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 at = base + (u64{high[i]} << 32 | low[i]);
    address[i] = at;
    differences |= at ^ (first + i * width);
  }
  return differences == 0;
}

}  // namespace

AddressFunctions address_functions() { return {from_words, from_pairs}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
