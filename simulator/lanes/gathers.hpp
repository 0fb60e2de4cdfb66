// Words that lie anywhere, into rows.
#pragma once

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// For each lane of a row that is there.
template <class Value>
inline void put_lanes(u32* row, Mask lanes, Value&& value) {
  if (lanes == kFullMask)
    for (u32 i = 0; i < kWarpSize; ++i) put<true>(row, i, value(i), lanes);
  else
    for (u32 i = 0; i < kWarpSize; ++i) put<false>(row, i, value(i), lanes);
}

#if defined(__AVX512F__)

using Places = long long __attribute__((vector_size(64)));  // of eight lanes
using EightWords = i32 __attribute__((vector_size(32)));
using Words = i32 __attribute__((vector_size(64)));

// Lanes that are not there load nothing, and get zeros.
inline Places load_eight_pairs(const Places& from, u8 there) {
  return __builtin_ia32_gatherdiv8di(Places{}, nullptr, from, there, 1);
}

template <u32 kWords>
inline void load(const std::byte* const* from, Mask lanes, u32* __restrict rows) {
  u32 value[kWords][kWarpSize];
  for (u32 i = 0; i < kWarpSize; i += 16) {
    Places low, high;
    __builtin_memcpy(&low, from + i, sizeof low);
    __builtin_memcpy(&high, from + i + 8, sizeof high);
    const auto of_low = static_cast<u8>(lanes.bits() >> i);
    const auto of_high = static_cast<u8>(lanes.bits() >> (i + 8));
    if constexpr (kWords == 1) {
      const EightWords one = __builtin_ia32_gatherdiv16si(EightWords{}, nullptr, low, of_low, 1);
      const EightWords two = __builtin_ia32_gatherdiv16si(EightWords{}, nullptr, high, of_high, 1);
      const Words both =
          __builtin_shufflevector(one, two, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      __builtin_memcpy(value[0] + i, &both, sizeof both);
      continue;
    }
    for (u32 word = 0; word + 1 < kWords; word += 2) {
      const auto more = static_cast<long long>(word * sizeof(u32));
      const auto one = __builtin_bit_cast(Words, load_eight_pairs(low + more, of_low));
      const auto two = __builtin_bit_cast(Words, load_eight_pairs(high + more, of_high));
      const Words even = __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                                 22, 24, 26, 28, 30);
      const Words odd = __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
                                                25, 27, 29, 31);
      __builtin_memcpy(value[word] + i, &even, sizeof even);
      __builtin_memcpy(value[word + 1] + i, &odd, sizeof odd);
    }
  }
  for (u32 word = 0; word < kWords; ++word)
    put_lanes(rows + word * kWarpSize, lanes, [&](u32 i) { return value[word][i]; });
}

#else

template <u32 kWords>
inline void load(const std::byte* const* from, Mask lanes, u32* __restrict rows) {
  for (u32 i = 0; i < kWarpSize; ++i) {
    if ((lanes.bits() & kLaneBits.bit[i]) == 0) continue;
    u32 words[kWords];
    __builtin_memcpy(words, from[i], sizeof words);
    for (u32 word = 0; word < kWords; ++word) rows[word * kWarpSize + i] = words[word];
  }
}

#endif

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
