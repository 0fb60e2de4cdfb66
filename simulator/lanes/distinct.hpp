// Numbers of lanes: how many different ones there are.
#pragma once

#include "simulator/lanes/quads.hpp"
#include "simulator/lanes/scattered.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// The bits that are set.
inline u32 ones(u64 word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<u32>(word * 0x0101010101010101u >> 56);
}

constexpr u32 kNear = 64;  // numbers that a word has a bit for each of

// A bit for each of these numbers, which are below kNear.
inline u64 near_bits(const Quad (&numbers)[kQuads]) {
  constexpr Quad kOne{1, 1, 1, 1};
  Quad bits{};
  for (const Quad& each : numbers) bits |= kOne << (each & (kNear - 1));
  return any_bits(bits);
}

inline bool falls(const Part (&numbers)[kParts], const Part (&last)[kParts]) {
  Part fall{};
  for (u32 i = 0; i < kParts; ++i) fall |= __builtin_bit_cast(Part, numbers[i] < last[i]);
  return any_bits(__builtin_bit_cast(Quad, fall)) != 0;
}

// Of numbers in order each is compared with the one before it.
inline ScatteredFunctions::Distinct distinct_in_order(Part (&numbers)[kParts]) {
  Part last[kParts];
  before(numbers, last);
  if (falls(numbers, last)) {
    sort(numbers);
    before(numbers, last);
  }
  Part sectors{}, lines{};
  const Part none{};
  for (u32 i = 0; i < kParts; ++i) {
    const Part changed = numbers[i] ^ last[i];
    sectors -= __builtin_bit_cast(Part, changed != none);
    lines -= __builtin_bit_cast(Part, (changed >> (kLineShift - kSectorShift)) != none);
  }
  return {1 + sum(sectors), 1 + sum(lines)};
}

// Of bits from the first sector of a line on.
inline ScatteredFunctions::Distinct distinct_of(u64 sectors) {
  const u64 pairs = sectors | sectors >> 1;
  return {ones(sectors), ones((pairs | pairs >> 2) & 0x1111111111111111u)};
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
