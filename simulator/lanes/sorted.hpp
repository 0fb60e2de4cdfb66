// A number of each lane, in registers: sorted by a bitonic network, and beside its neighbours.
#pragma once

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

constexpr u32 kParts = 4, kWidth = kWarpSize / kParts;
using Part = u32 __attribute__((vector_size(kWidth * sizeof(u32))));

// Parts are passed by reference: without AVX gcc warns of how they are passed otherwise.

// The element whose number differs by kBy.
template <u32 kBy>
inline void partners(const Part& part, Part& found) {
  if constexpr (kBy == 1) found = __builtin_shufflevector(part, part, 1, 0, 3, 2, 5, 4, 7, 6);
  if constexpr (kBy == 2) found = __builtin_shufflevector(part, part, 2, 3, 0, 1, 6, 7, 4, 5);
  if constexpr (kBy == 4) found = __builtin_shufflevector(part, part, 4, 5, 6, 7, 0, 1, 2, 3);
}

// The elements that take the greater one of themselves and their partners, from `most`; the others
// from `least`. Runs of kRun elements rise and fall in turn; `kPart`: the part's number.
template <u32 kRun, u32 kBy, u32 kPart>
inline void take(const Part& least, const Part& most, Part& taken) {
  constexpr auto from = [](u32 i) {
    const u32 number = kPart * kWidth + i;
    return static_cast<int>(((number & kBy) != 0) != ((number & kRun) != 0) ? kWidth + i : i);
  };
  taken = __builtin_shufflevector(least, most, from(0), from(1), from(2), from(3), from(4), from(5),
                                  from(6), from(7));
}

template <u32 kRun, u32 kBy, u32 kPart = 0>
inline void step(Part (&parts)[kParts]) {
  constexpr u32 kOther = kPart ^ (kBy / kWidth);
  if constexpr (kOther >= kPart) {
    const Part one = parts[kPart];
    Part two = parts[kOther];
    if constexpr (kBy < kWidth) partners<kBy>(one, two);
    const Part least = one < two ? one : two, most = one < two ? two : one;
    if constexpr (kBy < kWidth) {
      take<kRun, kBy, kPart>(least, most, parts[kPart]);
    } else {
      constexpr bool kFalls = (kPart * kWidth & kRun) != 0;
      parts[kPart] = kFalls ? most : least;
      parts[kOther] = kFalls ? least : most;
    }
  }
  if constexpr (kPart + 1 < kParts) step<kRun, kBy, kPart + 1>(parts);
}

template <u32 kRun, u32 kBy>
inline void merge(Part (&parts)[kParts]) {
  step<kRun, kBy>(parts);
  if constexpr (kBy > 1) merge<kRun, kBy / 2>(parts);
}

inline void sort(Part (&parts)[kParts]) {
  merge<2, 1>(parts);
  merge<4, 2>(parts);
  merge<8, 4>(parts);
  merge<16, 8>(parts);
  merge<32, 16>(parts);
}

// Each lane's number with the one of the lane before it; lane 0 with its own.
inline void before(const Part (&parts)[kParts], Part (&found)[kParts]) {
  found[0] = __builtin_shufflevector(parts[0], parts[0], 0, 0, 1, 2, 3, 4, 5, 6);
  for (u32 i = 1; i < kParts; ++i)
    found[i] = __builtin_shufflevector(parts[i - 1], parts[i], 7, 8, 9, 10, 11, 12, 13, 14);
}

// The lanes whose number is not zero: bit i is lane i.
inline u32 nonzero(const Part (&parts)[kParts]) {
  constexpr Part kBits{1, 2, 4, 8, 16, 32, 64, 128};
  const Part none{};
  Part bits{};
  for (u32 i = 0; i < kParts; ++i) {
    const auto flags = parts[i] != none;  // all ones where it holds
    bits |= __builtin_bit_cast(Part, flags) & kBits << (kWidth * i);
  }
  u32 words[kWidth];
  __builtin_memcpy(words, &bits, sizeof words);
  u32 lanes = 0;
  for (u32 i = 0; i < kWidth; ++i) lanes |= words[i];
  return lanes;
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
