#include "simulator/lanes/scattered.hpp"

#include "simulator/lanes/lane.hpp"
#include "simulator/lanes/sorted.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// Numbers whose differences need more than 32 bits: each beside those before it.
ScatteredFunctions::Distinct distinct_far(const u64* address) {
  const auto count = [&](u32 shift) {
    u32 different = 1;
    for (u32 i = 1; i < kWarpSize; ++i) {
      u32 seen = 0;
      for (u32 j = 0; j < i; ++j) seen |= u32{address[j] >> shift == address[i] >> shift};
      different += 1 - seen;
    }
    return different;
  };
  return {count(kSectorShift), count(kLineShift)};
}

ScatteredFunctions::Distinct distinct(const u64* address) {
  u32 sector[kWarpSize];
  const u64 first = address[0] >> kLineShift << (kLineShift - kSectorShift);
  u64 far = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 offset = (address[i] >> kSectorShift) - first + (u64{1} << 31);
    far |= offset >> 32;
    sector[i] = static_cast<u32>(offset);
  }
  if (far != 0) return distinct_far(address);
  sort(sector);
  u32 sectors = 1, lines = 1;
  for (u32 i = 1; i < kWarpSize; ++i) {
    const u32 changed = sector[i - 1] ^ sector[i];
    sectors += u32{changed != 0};
    lines += u32{changed >> (kLineShift - kSectorShift) != 0};
  }
  return {sectors, lines};
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
