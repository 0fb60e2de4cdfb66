// All lanes' numbers of 64 bits in registers, four in each: what was stored just now is not loaded
// again in pieces of another size, which would have to wait.
#pragma once

#include "simulator/lanes/sorted.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

constexpr u32 kQuads = kWarpSize / 4;
using Quad = u64 __attribute__((vector_size(32)));

inline void load(const u64* numbers, Quad (&quads)[kQuads]) {
  for (u32 i = 0; i < kQuads; ++i) __builtin_memcpy(&quads[i], numbers + 4 * i, sizeof(Quad));
}

// The low halves.
inline void low_halves(const Quad (&quads)[kQuads], Part (&parts)[kParts]) {
  for (u32 i = 0; i < kParts; ++i)
    parts[i] = __builtin_shufflevector(__builtin_bit_cast(Part, quads[2 * i]),
                                       __builtin_bit_cast(Part, quads[2 * i + 1]), 0, 2, 4, 6, 8,
                                       10, 12, 14);
}

// Numbers of lanes that are not there become `one`.
inline void put_elsewhere(Mask lanes, u64 one, Quad (&quads)[kQuads]) {
  constexpr Quad kBits{1, 2, 4, 8};
  if (lanes == kFullMask) return;
  const Quad none{};
  for (u32 i = 0; i < kQuads; ++i) {
    const Quad off = __builtin_bit_cast(Quad, ((kBits << (4 * i)) & lanes.bits()) == none);
    quads[i] = (quads[i] & ~off) | (one & off);
  }
}

inline u64 any_bits(const Quad& bits) {
  const Quad two = bits | __builtin_shufflevector(bits, bits, 2, 3, 0, 1);
  return two[0] | two[1];
}

inline u64 sum(const Quad& numbers) {
  const Quad two = numbers + __builtin_shufflevector(numbers, numbers, 2, 3, 0, 1);
  return two[0] + two[1];
}

inline u32 sum(const Part& numbers) {
  const Part four = numbers + __builtin_shufflevector(numbers, numbers, 4, 5, 6, 7, 0, 1, 2, 3);
  const Part two = four + __builtin_shufflevector(four, four, 2, 3, 0, 1, 6, 7, 4, 5);
  return two[0] + two[1];
}

inline void lesser(const Part& one, const Part& two, Part& found) { found = one < two ? one : two; }

inline u32 least(const Part (&numbers)[kParts]) {
  Part low, high, found;
  lesser(numbers[0], numbers[1], low);
  lesser(numbers[2], numbers[3], high);
  lesser(low, high, found);
  lesser(found, __builtin_shufflevector(found, found, 4, 5, 6, 7, 0, 1, 2, 3), found);
  lesser(found, __builtin_shufflevector(found, found, 2, 3, 0, 1, 6, 7, 4, 5), found);
  return found[0] < found[1] ? found[0] : found[1];
}

inline u32 most(const Part (&numbers)[kParts]) {
  Part inverted[kParts];
  for (u32 i = 0; i < kParts; ++i) inverted[i] = ~numbers[i];
  return ~least(inverted);
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
