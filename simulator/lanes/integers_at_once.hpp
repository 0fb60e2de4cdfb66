// Products of matrices of whole numbers and of bits, a vector of elements of D at a time. Numbers
// of four and eight bits become pairs of sixteen, of which vector units multiply and add two at
// once; registers stay as fragments have them (matrix_at_once.hpp).
#pragma once

#include "simulator/lanes/matrix_at_once.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

using Unsigned = u32 __attribute__((vector_size(kVectorBytes)));

// sum += x[2 i] * y[2 i] + x[2 i + 1] * y[2 i + 1].
inline void add_pairs(const Pairs& x, const Pairs& y, Words& sum) {
#if defined(__AVX2__)
  sum += Words(__builtin_ia32_pmaddwd256(x, y));
#else
  sum += Words(__builtin_ia32_pmaddwd128(x, y));
#endif
}

// The numbers of words, two to a word each time: in the same order for A and B.
template <u32 kElements>
inline void take_pairs(const Words& words, bool is_signed, Pairs (&pairs)[kElements / 2]) {
  constexpr i32 kBits = 32 / kElements;
  Pairs halves, kept;
  reinterpret(words, halves);
  fill(is_signed ? -1 : (1 << kBits) - 1, kept);
  for (i32 i = 0; i < i32{kElements} / 2; ++i)
    pairs[i] = halves << (16 - kBits * (i + 1)) >> (16 - kBits) & kept;
}

template <u32 kElements, u32 kRowGroups, u32 kSteps>
struct PairsOfA {
  static constexpr u32 kPartsOfA = kRowGroups * kVectorsOfRegister;
  Pairs value[kPartsOfA][kSteps][kElements / 2];

  PairsOfA(const u32* rows, bool is_signed) {
    for (u32 part = 0; part < kPartsOfA; ++part)
      for (u32 step = 0; step < kSteps; ++step) {
        const Place at(part);
        Words words;
        load(words, rows + (kRowGroups * step + at.eight) * kWarpSize + at.lane);
        take_pairs<kElements>(words, is_signed, value[part][step]);
      }
  }
};

template <u32 kElements, u32 kSteps>
struct PairsOfB {
  Pairs value[kSteps][kQuadLanes][2][kElements / 2];

  PairsOfB(const u32* rows, bool is_signed) {
    for (u32 step = 0; step < kSteps; ++step)
      for (u32 odd = 0; odd < 2; ++odd) {
        QuadOfWords turned[kQuadLanes];
        turn(rows + step * kWarpSize, odd, turned);
        for (u32 place = 0; place < kQuadLanes; ++place) {
          Words words;
          repeat(turned[place], words);
          take_pairs<kElements>(words, is_signed, value[step][place][odd]);
        }
      }
  }
};

// Adds C to a sum of products, which fits: wrapped, or the nearest that there is.
inline void add_addend(const Words& c, bool saturates, Words& sum) {
  Unsigned left, right;
  reinterpret(c, left);
  reinterpret(sum, right);
  Words total;
  reinterpret(left + right, total);
  const Words overflow = ((total ^ c) & (total ^ sum)) >> 31, limit = (c >> 31) ^ 0x7fffffff;
  sum = saturates ? (limit & overflow) | (total & ~overflow) : total;
}

template <u32 kElements, u32 kRowGroups, u32 kSteps>
inline void multiply_integers(const PairsOfA<kElements, kRowGroups, kSteps>& a,
                              const PairsOfB<kElements, kSteps>& b, bool saturates,
                              const u32 (*c)[kWarpSize], u32 (*d)[kWarpSize]) {
  for (u32 part = 0; part < a.kPartsOfA; ++part) {
    const Place at(part);
    Words sum[2] = {}, addend[2];
    for (u32 step = 0; step < kSteps; ++step)
      for_each_place([&]<u32 kPlace>() {
        for (u32 i = 0; i < kElements / 2; ++i) {
          Pairs of_a;
          take_place<kPlace>(a.value[part][step][i], of_a);
          for (u32 odd = 0; odd < 2; ++odd)
            add_pairs(of_a, b.value[step][kPlace][odd][i], sum[odd]);
        }
      });
    read_columns<false>(c, at, addend);
    for (u32 odd = 0; odd < 2; ++odd) add_addend(addend[odd], saturates, sum[odd]);
    write_columns<false>(sum, at, d);
  }
}

// Adds how many bits are set in each byte of two words.
inline void count_bits(const Unsigned& one, const Unsigned& other, Unsigned& bytes) {
  Unsigned nibbles = {};
  for (const Unsigned* word : {&one, &other}) {
    const Unsigned twos = *word - (*word >> 1 & 0x55555555u);
    nibbles += (twos & 0x33333333u) + (twos >> 2 & 0x33333333u);
  }
  bytes += (nibbles & 0x0f0f0f0fu) + (nibbles >> 4 & 0x0f0f0f0fu);
}

// B as kSteps registers of bits, in every quad the words of its columns.
template <u32 kSteps>
struct BitsOfB {
  Unsigned word[kSteps][2][kQuadLanes];

  explicit BitsOfB(const u32* rows) {
    for (u32 step = 0; step < kSteps; ++step)
      for (u32 odd = 0; odd < 2; ++odd) {
        QuadOfWords turned[kQuadLanes];
        turn(rows + step * kWarpSize, odd, turned);
        for (u32 place = 0; place < kQuadLanes; ++place) {
          Words words;
          repeat(turned[place], words);
          reinterpret(words, word[step][odd][place]);
        }
      }
  }
};

// Counts of common bits, or of different ones; bytes hold those of up to 15 steps.
template <u32 kRowGroups, u32 kSteps>
inline void multiply_bits(const u32* a, const BitsOfB<kSteps>& b, bool common,
                          const u32 (*c)[kWarpSize], u32 (*d)[kWarpSize]) {
  Unsigned differ;
  fill(common ? 0 : -1, differ);
  for (u32 part = 0; part < kRowGroups * kVectorsOfRegister; ++part) {
    const Place at(part);
    Unsigned bytes[2] = {};
    for (u32 step = 0; step < kSteps; ++step) {
      Unsigned row, of_a[kQuadLanes];
      load(row, a + (kRowGroups * step + at.eight) * kWarpSize + at.lane);
      for_each_place([&]<u32 kPlace>() { take_place<kPlace>(row, of_a[kPlace]); });
      for (u32 odd = 0; odd < 2; ++odd) {
        Unsigned met[kQuadLanes];
        for (u32 place = 0; place < kQuadLanes; ++place) {
          const Unsigned& of_b = b.word[step][odd][place];
          met[place] = (of_a[place] & of_b & ~differ) | ((of_a[place] ^ of_b) & differ);
        }
        count_bits(met[0], met[1], bytes[odd]);
        count_bits(met[2], met[3], bytes[odd]);
      }
    }
    Words sum[2];
    read_columns<false>(c, at, sum);
    for (u32 odd = 0; odd < 2; ++odd) {
      const Unsigned pairs = (bytes[odd] & 0x00ff00ffu) + (bytes[odd] >> 8 & 0x00ff00ffu);
      Unsigned total;
      reinterpret(sum[odd], total);
      reinterpret(total + (pairs & 0xffffu) + (pairs >> 16), sum[odd]);
    }
    write_columns<false>(sum, at, d);
  }
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
