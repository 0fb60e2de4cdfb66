// What a BAR instruction asks for.
#pragma once

#include <cstdint>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// Step::selector of a BAR: Mod::bar_mode.
enum class BarrierMode : std::uint8_t { sync, arrive, reduce, scan, sync_all };

struct BarrierRequest {
  unsigned number = 0;
  std::uint32_t threads = 0;  // 0: the whole block
};

// `on`: the lanes that execute it; not empty.
BarrierRequest barrier_request(const Warp& warp, const Step& step, Mask on);

}  // namespace heddle::simulator
