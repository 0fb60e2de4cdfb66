// How the rows of a block's warps lie in memory.
#pragma once

#include <cstddef>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// From a warp's rows to the next one's, where only the rows that a kernel can touch are kept: a
// warp has 348, most kernels name few. What lies between its registers and its uniform registers is
// other warps'.
std::size_t interleaved_rows(const NamedRows& named);

// What a block's warps take in all, at that distance; in words.
inline std::size_t words_of_rows(std::size_t warps, std::size_t rows_per_warp) {
  return ((warps - 1) * rows_per_warp + kRowsPerWarp) * kWarpSize;
}

}  // namespace heddle::simulator
