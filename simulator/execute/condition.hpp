// The condition that branches, BREAK and EXIT may have beside their guard: P1 of `@P0 BRA P1, …`.
#pragma once

#include <bit>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// Those of `on` for which it holds. The hardware's own counter takes the others for predicated off,
// SASS metrics do not (H200: gpu/cupti/README.md).
inline Mask with_condition(Core& core, const Warp& warp, const Step& step, Mask on) {
  const Mask holds = on & warp.predicate(step.pp);
  if (holds != on) core.counts_of(step).threads_kept += (on & ~holds).count();
  return holds;
}

}  // namespace heddle::simulator
