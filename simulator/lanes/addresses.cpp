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

Pieces pieces(const u64* address) {
  u64 fell = 0, sectors = 1, lines = 1;
  for (u32 i = 1; i < kWarpSize; ++i) {
    const u64 before = address[i - 1], at = address[i], changed = before ^ at;
    fell |= at - before;
    sectors += u64{changed >> kSectorShift != 0};
    lines += u64{changed >> kLineShift != 0};
  }
  return {static_cast<u32>(sectors), static_cast<u32>(lines), fell >> 63 == 0};
}

}  // namespace

AddressFunctions address_functions() { return {from_words, from_pairs, pieces}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
