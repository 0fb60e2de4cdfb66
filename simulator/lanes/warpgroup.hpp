// Products of matrices by warp groups (PTX wgmma): a warp's 16 rows of them, in the widest vector
// unit there is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::simulator::lanes {

inline constexpr unsigned kGroupRows = 16;        // of a warp
inline constexpr unsigned kGroupColumns = 256;    // at the most
inline constexpr unsigned kGroupRowBytes = 64;    // of k, of which a dense product uses 32
inline constexpr unsigned kGroupRegisters = 128;  // of D at the most

// A row of A has `bytes` of k and a column of B as many. Where A is sparse its rows hold zeros
// between the numbers that are there, and `there` says which those are.
struct GroupFactors {
  alignas(64) std::uint8_t a[kGroupRows][kGroupRowBytes];
  alignas(64) std::uint8_t b[kGroupColumns][kGroupRowBytes];
  std::uint64_t there[kGroupRows];  // bit k: element k of the row
  unsigned columns = 0;             // a multiple of 8
  unsigned bytes = 32;
  bool negate = false;      // the products
  bool one_by_one = false;  // no shortcut: how tests get both
};

// Rows of 32 words, one a register, as PTX has wgmma's D.
struct GroupSums {
  std::uint32_t c[kGroupRegisters][32];
  std::uint32_t d[kGroupRegisters][32];
};

// Fills `d`. `c` is what is added.
using GroupFunction = void (*)(const GroupFactors& factors, GroupSums& sums);

// By the types of D (FP16, FP32), and of A and B (0 E4M3 or unsigned, 1 E5M2 or signed). wide:
// sums of eight-bit floats that keep as many bits as those of others, as on Blackwell.
struct GroupFunctions {
  GroupFunction half_to_half, half, bfloat, tf32;
  GroupFunction eight_bits[2][2][2], wide_eight_bits[2][2][2];
  GroupFunction bytes[2][2], bytes_saturated[2][2];
  GroupFunction bits;
};

// Of the widest vector unit of this processor.
const GroupFunctions& group_functions();

}  // namespace heddle::simulator::lanes
