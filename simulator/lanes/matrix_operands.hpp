// What products of matrices and MOVM share: how the result is written, and which elements A has.
#pragma once

#include "simulator/lanes/matrix.hpp"
#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// D where it is computed, written to the rows only when nothing is read from them any more.
template <u32 kRegisters>
struct Result {
  alignas(64) u32 word[kRegisters][kWarpSize] = {};

  void write(WarpState& warp, const MicroOp& op, Mask on) const {
    u32* d = destination_row(warp, op.d);
    if (on == kFullMask) {
      __builtin_memcpy(d, word, sizeof word);
      return;
    }
    for (u32 r = 0; r < kRegisters; ++r)
      for (u32 i = 0; i < kWarpSize; ++i) put<false>(d + r * kWarpSize, i, word[r][i], on);
  }
};

// k[3], of DMMA k[0], of a product that is to be computed element by element: how tests get both.
inline constexpr u32 kOneByOne = 1;

// Sparse: A holds half of its elements, and metadata says which: place(row, k) is the row of B that
// element k of A's row meets. k[0]: the selector, k[1]: the register of metadata.
struct AllElements {
  static constexpr bool kSparse = false;
  AllElements(const WarpState&, const MicroOp&) {}
  u32 place(u32, u32 k) const { return k; }
};

// The registers that A would have if its rows were not sparse: zeros stand between the numbers.
// False where metadata give two numbers one place: both count.
template <u32 kElements, u32 kSteps, class Choice>
bool spread_out(const u32* rows, const Choice& choice, u32 (&spread)[4 * kSteps][kWarpSize]) {
  constexpr u32 kBits = 32 / kElements, kMask = ~0u >> (32 - kBits);
  bool apart = true;
  __builtin_memset(spread, 0, sizeof spread);
  Fragments<kElements, 2, kSteps>::for_each_of_a([&](u32 row, u32 k, u32 lane, u32 r, u32 e) {
    const u32 place = choice.place(row, k), at = place / kElements;
    spread[2 * (at / 4) + row / 8][4 * (row % 8) + at % 4] |=
        (rows[r * kWarpSize + lane] >> kBits * e & kMask) << kBits * (place % kElements);
    apart &= place != choice.place(row, k ^ 1);
  });
  return apart;
}

// The register of metadata and the selector, which are of no operand slot.
inline void take_metadata(const isa::Instruction& in, MicroOp& op) {
  op.param[0] = static_cast<u32>(in.word.lo >> 48 & 3);
  op.param[1] = static_cast<u32>(in.word.lo >> 40 & 0xff);
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
