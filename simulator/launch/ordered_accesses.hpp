// Accesses behind which warps of a block that race would go on in another order than a GPU's.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.hpp"

namespace heddle::simulator {

enum class Ordered : std::uint8_t { no, in_shared_memory, in_global_memory };

// By instruction: whether it is a plain load or store, and a warp may come from it to one of the
// other kind, of the same memory, without a block barrier between. What another warp stores or
// loads there, side by side with it, would have to come first. Code that does not know which memory
// it accesses counts as accessing shared memory too.
std::vector<Ordered> find_ordered_accesses(const isa::Program& program);

}  // namespace heddle::simulator
