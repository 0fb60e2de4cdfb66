// Which rows of a warp an instruction may write.
#pragma once

#include <cstdint>

#include "simulator/warp/micro_op.hpp"

namespace heddle::traces {

// The rows an instruction may have written: from its destination on, as many as the widest
// instruction writes; and those in which a driver function that it calls leaves its result.
template <typename Visit>
void for_written_rows(const simulator::MicroOp& step, Visit&& visit) {
  constexpr std::uint32_t kWidest = 8, kResult = 4, kResults = 2;
  const auto first = static_cast<std::uint32_t>(step.d) / simulator::kWarpSize;
  for (std::uint32_t i = 0; i < kWidest; ++i) visit(first + i);
  if (step.lane == nullptr)
    for (std::uint32_t i = 0; i < kResults; ++i) visit(kResult + i);
}

}  // namespace heddle::traces
