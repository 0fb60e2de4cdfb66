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

// Addresses stay in registers: they were stored just now, and a load of what lies across two stores
// would wait for both.
Pieces pieces(const u64* address) {
  using Eight = u64 __attribute__((vector_size(64)));
  constexpr u32 kEights = kWarpSize / 8;
  Eight at[kEights];
  __builtin_memcpy(at, address, sizeof at);
  Eight sectors{}, lines{}, fell{};
  const Eight none{};
  for (u32 i = 0; i < kEights; ++i) {
    const Eight before =
        i == 0 ? __builtin_shufflevector(at[0], at[0], 0, 0, 1, 2, 3, 4, 5, 6)
               : __builtin_shufflevector(at[i - 1], at[i], 7, 8, 9, 10, 11, 12, 13, 14);
    const Eight changed = before ^ at[i];
    fell |= at[i] - before;
    sectors -= __builtin_bit_cast(Eight, (changed >> kSectorShift) != none);
    lines -= __builtin_bit_cast(Eight, (changed >> kLineShift) != none);
  }
  u64 sum_of_sectors = 1, sum_of_lines = 1, any_fell = 0;
  for (u32 i = 0; i < 8; ++i) {
    sum_of_sectors += sectors[i];
    sum_of_lines += lines[i];
    any_fell |= fell[i];
  }
  return {static_cast<u32>(sum_of_sectors), static_cast<u32>(sum_of_lines), any_fell >> 63 == 0};
}

}  // namespace

AddressFunctions address_functions() { return {from_words, from_pairs, pieces}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
