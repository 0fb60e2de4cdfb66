#include "simulator/lanes/scattered.hpp"

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// Each number beside those before it, in 32 bits: they lie near one another nearly always.
u32 distinct(const u64* numbers, u32 shift) {
  u32 near[2 * kWarpSize], again[kWarpSize] = {};
  const u64 first = numbers[0] >> shift;
  u64 far = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 offset = (numbers[i] >> shift) - first + (u64{1} << 31);
    far |= offset >> 32;
    near[kWarpSize + i] = static_cast<u32>(offset);
  }
  u32 count = 1;
  if (far != 0) {
    for (u32 i = 1; i < kWarpSize; ++i) {
      u32 seen = 0;
      for (u32 j = 0; j < i; ++j) seen |= u32{numbers[j] >> shift == numbers[i] >> shift};
      count += 1 - seen;
    }
    return count;
  }
  // The first one stands before all, too.
  for (u32 i = 0; i < kWarpSize; ++i) near[i] = near[kWarpSize];
  for (u32 by = 1; by < kWarpSize; ++by)
    for (u32 i = 0; i < kWarpSize; ++i)
      again[i] |= u32{near[kWarpSize + i] == near[kWarpSize + i - by]};
  for (u32 i = 1; i < kWarpSize; ++i) count += 1 - again[i];
  return count;
}

ScatteredFunctions::Range range(const u64* address, u32 lanes) {
  const u64 one = address[__builtin_ctz(lanes)];
  i64 lowest = static_cast<i64>(one), highest = lowest;
  u64 bits = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 on = u64{0} - u64{lanes >> i & 1};
    const u64 at = (address[i] & on) | (one & ~on);
    bits |= at;
    lowest = static_cast<i64>(at) < lowest ? static_cast<i64>(at) : lowest;
    highest = static_cast<i64>(at) > highest ? static_cast<i64>(at) : highest;
  }
  return {static_cast<u64>(lowest), static_cast<u64>(highest), bits};
}

void views(const u64* address, u64 lowest, std::byte* first, std::byte** view) {
  const u64 to = reinterpret_cast<u64>(first) - lowest;
  for (u32 i = 0; i < kWarpSize; ++i) view[i] = reinterpret_cast<std::byte*>(address[i] + to);
}

}  // namespace

ScatteredFunctions scattered_functions() { return {distinct, range, views}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
