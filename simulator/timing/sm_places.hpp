// Where an SM is: its GPC, and its place there. SMs come in pairs that are close to one another
// (TPCs); GPCs get pairs by turns, so that some have one more.
//
// SMs are numbered in the order in which a grid needs them: a grid of n blocks takes the first n.
// So its first blocks are in one GPC, and those behind them spread over all GPCs, one for each pair
// before a second for any (places.* of gpu/kernels/micro/timing/block_places.cu).
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/models/timing_constants.hpp"

namespace heddle::simulator::timing {

struct SmPlace {
  std::uint32_t gpc = 0;
  std::uint32_t pair = 0;    // in its GPC
  std::uint32_t cpc = 0;     // in its GPC: of `cpc_sms` SMs each
  std::uint32_t before = 0;  // SMs of the GPC that have lower numbers
};

// By the numbers of `sms` SMs.
std::vector<SmPlace> sm_places(const Constants& constants, std::uint32_t sms);

// Which SM gets which of the `blocks` that are begun together, one on each SM: the first ones where
// the SMs of the grid's first blocks are, then those of a GPC side by side.
std::vector<std::uint32_t> sms_for_blocks(const Constants& constants,
                                          const std::vector<SmPlace>& places, std::uint64_t blocks);

// The half of L2 that a GPC is near to.
inline unsigned near_half_of(const Constants& constants, std::uint32_t gpc) {
  return gpc * constants.l2_halves / constants.gpcs;
}

}  // namespace heddle::simulator::timing
