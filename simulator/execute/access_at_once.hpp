// Accesses of which all is done at once (simulator/lanes/accesses_at_once.hpp).
#pragma once

#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator {

// Of weak loads and stores by registers without a shift: pairs in global memory, else words; stores
// of a word, and loads of one but for global memory. False: it cannot be done at once, and nothing
// is done.
template <AddressSpace kSpace, AccessKind kKind>
bool access_at_once(Core& core, const Warp& warp, const Step& step, Mask on);

}  // namespace heddle::simulator
