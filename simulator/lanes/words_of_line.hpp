// Words of one line, into a row.
#pragma once

#include "simulator/lanes/gathers.hpp"
#include "simulator/lanes/sorted.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Each lane's place is a byte address, of which the low bits say which word of the line it is.
inline void take_words(const std::byte* line, const Part (&places)[kParts], Mask lanes,
                       u32* __restrict row) {
  u32 value[kWarpSize];
#if defined(__AVX2__) && !defined(__clang__)  // an instruction takes words from vectors
#if defined(__AVX512F__)
  using Some = u32 __attribute__((vector_size(64)));
#else
  using Some = Part;
#endif
  constexpr u32 kCount = sizeof(Some) / sizeof(u32), kVectors = kWarpSize / kCount;
  Some words[kVectors], which[kVectors];
  __builtin_memcpy(words, line, sizeof words);
  __builtin_memcpy(which, places, sizeof which);
  for (u32 i = 0; i < kVectors; ++i) {
    which[i] >>= 2;
    Some taken = __builtin_shuffle(words[0], words[1], which[i]);
    if constexpr (kVectors == 4) {
      const Some upper = __builtin_shuffle(words[2], words[3], which[i]);
      taken = (which[i] & (2 * kCount)) != 0 ? upper : taken;
    }
    __builtin_memcpy(value + kCount * i, &taken, sizeof taken);
  }
#else
  u32 place[kWarpSize];
  __builtin_memcpy(place, places, sizeof place);
  for (u32 i = 0; i < kWarpSize; ++i)
    __builtin_memcpy(&value[i], line + place[i] / 4 % kWarpSize * 4, sizeof(u32));
#endif
  put_lanes(row, lanes, [&](u32 i) { return value[i]; });
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
