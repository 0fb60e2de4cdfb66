// IMAD.WIDE and IMAD.HI of all lanes: addresses of arrays' elements, and so among what is executed
// most. Vector units multiply every second word into 64 bits: words stay where they are, even and
// odd lanes apart, rather than move to vectors of twice the size and back.
#pragma once

#include <utility>

#include "simulator/lanes/integer.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

#if defined(__AVX2__)

// As wide as rows are stored: what was stored in pieces is not loaded at once soon after.
#if defined(__AVX512DQ__)
inline constexpr u32 kProductBytes = 64;
#else
inline constexpr u32 kProductBytes = 32;
#endif
using ProductWords = i32 __attribute__((vector_size(kProductBytes)));
using WordPairs = u64 __attribute__((vector_size(kProductBytes)));

inline void load_pairs(const u32* row, WordPairs& pairs) {
  __builtin_memcpy(&pairs, row, sizeof pairs);
}

// The low words of one beside the high words of the other, pair by pair.
inline WordPairs blend(WordPairs low, WordPairs high) {
  const auto even = __builtin_bit_cast(ProductWords, low);
  const auto odd = __builtin_bit_cast(ProductWords, high);
  return [&]<int... kWord>(std::integer_sequence<int, kWord...>) {
    constexpr int kWords = kProductBytes / 4;
    return __builtin_bit_cast(
        WordPairs,
        __builtin_shufflevector(even, odd, (kWord % 2 == 0 ? kWord : kWords + kWord)...));
  }
  (std::make_integer_sequence<int, int{kProductBytes / 4}>());
}

// Of the low words.
template <bool kSigned>
inline WordPairs multiply_low(WordPairs a, WordPairs b) {
  const auto left = __builtin_bit_cast(ProductWords, a);
  const auto right = __builtin_bit_cast(ProductWords, b);
#if !defined(__AVX512DQ__)
  return __builtin_bit_cast(WordPairs, kSigned ? __builtin_ia32_pmuldq256(left, right)
                                               : __builtin_ia32_pmuludq256(left, right));
#elif __has_builtin(__builtin_ia32_pmuldq512)  // clang
  return __builtin_bit_cast(WordPairs, kSigned ? __builtin_ia32_pmuldq512(left, right)
                                               : __builtin_ia32_pmuludq512(left, right));
#else
  using Products = long long __attribute__((vector_size(kProductBytes)));
  constexpr u8 kAll = 0xff;
  return __builtin_bit_cast(
      WordPairs, kSigned ? __builtin_ia32_pmuldq512_mask(left, right, Products{}, kAll)
                         : __builtin_ia32_pmuludq512_mask(left, right, Products{}, kAll));
#endif
}

// `kHigh`: the high words alone, as IMAD.HI has them.
template <class Op, bool kSigned, bool kHigh>
[[gnu::flatten]] void multiply_to_pairs(WarpState& warp, const MicroOp& op, Mask on) {
  if (on != kFullMask) return lane_loop<Unmodified<Op>, false>(warp, op, on);
  const u32* const a = source_row(warp, op.a);
  const u32* const b = source_row(warp, op.b);
  const u32* const c = source_row(warp, op.c);
  u32* const d = destination_row(warp, op.d);
  for (u32 i = 0; i < kWarpSize; i += kProductBytes / 4) {
    WordPairs x, y, low, high;
    load_pairs(a + i, x);
    load_pairs(b + i, y);
    load_pairs(c + i, low);
    load_pairs(c + kWarpSize + i, high);
    const WordPairs even = multiply_low<kSigned>(x, y) + blend(low, high << 32);
    const WordPairs odd = multiply_low<kSigned>(x >> 32, y >> 32) + blend(low >> 32, high);
    const WordPairs sum_low = blend(even, odd << 32), sum_high = blend(even >> 32, odd);
    if (!kHigh) __builtin_memcpy(d + i, &sum_low, sizeof sum_low);
    __builtin_memcpy(d + (kHigh ? 0 : kWarpSize) + i, &sum_high, sizeof sum_high);
  }
}

template <bool kSigned>
inline constexpr LaneFunction multiply_wide =
    multiply_to_pairs<ImadWide<kSigned, false>, kSigned, false>;
template <bool kSigned>
inline constexpr LaneFunction multiply_high =
    multiply_to_pairs<ImadHigh<kSigned, false>, kSigned, true>;

#else

template <bool kSigned>
inline constexpr LaneFunction multiply_wide = lift<Unmodified<ImadWide<kSigned, false>>>;
template <bool kSigned>
inline constexpr LaneFunction multiply_high = lift<Unmodified<ImadHigh<kSigned, false>>>;

#endif

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
