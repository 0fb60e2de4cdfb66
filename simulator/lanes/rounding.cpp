#include "simulator/lanes/rounding.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

void with_rounding(WarpState& warp, const MicroOp& op, Mask on, LaneFunction loop) {
  // MXCSR bits 14:13 number the modes as the GPU does: nearest, down, up, to zero.
  const unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr((saved & ~0x6000u) | op.param[3] << 13);
  loop(warp, op, on);
  __builtin_ia32_ldmxcsr(saved);
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
