// How the memory unit counts one warp-wide access: sectors, tags and wavefronts, from the lanes'
// addresses alone. Pure functions. The rules were measured on an H200, instruction by instruction;
// docs/experiments/l1-counting.md tells how, and access_counts_test.cpp replays the measurements.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "simulator/base/mask.hpp"
#include "simulator/lanes/addresses.hpp"

namespace heddle::simulator {

enum class AccessKind : std::uint8_t {
  load,
  store,
  atomic,
  reduction,
  increment,  // ATOMS.POPC.INC
  compare_and_swap,
  cast_spin,  // ATOMS.CAST.SPIN, of the loops that make up what ATOMS lacks
};

struct AccessCounts {
  std::uint32_t sectors = 0;        // 32-byte pieces of memory touched
  std::uint32_t sectors_ideal = 0;  // the fewest that could hold the bytes asked for
  std::uint32_t tags = 0;           // cache-line look-ups
  std::uint32_t wavefronts = 0;     // passes through the shared-memory banks
  std::uint32_t wavefronts_ideal = 0;
};

using Addresses = std::array<std::uint64_t, kWarpSize>;  // one per lane
using LaneAddresses = std::span<const std::uint64_t, kWarpSize>;

// `width`: bytes each lane accesses: 1, 2, 4, 8 or 16. Addresses of lanes in `lanes` must be
// multiples of it; other lanes' addresses are ignored. `lanes` may be empty: nothing is counted.
// A count that has no meaning in the space stays 0.
// `spread`: the bits in which any lane's address differs from the first one's.
AccessCounts count_global(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes,
                          std::uint64_t spread);
AccessCounts count_global(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes);
// The same where all lanes are there and their pieces adjoin in order, from `first` on.
inline AccessCounts count_global_row(unsigned width, std::uint64_t first) {
  const std::uint64_t last = first + kWarpSize * width - 1;
  const auto pieces = [&](unsigned shift) {
    return static_cast<std::uint32_t>((last >> shift) - (first >> shift) + 1);
  };
  AccessCounts counts;
  counts.sectors = pieces(kSectorShift);
  counts.sectors_ideal = counts.sectors < width ? counts.sectors : width;
  counts.tags = pieces(kLineShift);
  return counts;
}
AccessCounts count_shared(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes,
                          std::uint64_t spread);
AccessCounts count_shared(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes);
// LDSM and STSM: the lanes that give the addresses of rows of 16 bytes.
AccessCounts count_matrix_rows(LaneAddresses address, Mask lanes);
// Addresses are those a lane sees, each lane from 0 (or from the window's base).
AccessCounts count_local(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes,
                         std::uint64_t spread);
AccessCounts count_local(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes);

}  // namespace heddle::simulator
