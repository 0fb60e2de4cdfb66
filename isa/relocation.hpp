// How a relocation changes the bytes it points to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/cubin.hpp"

namespace heddle::isa {

// Patches `section` (the bytes of the section that `relocation` names) with `symbol_address`, the
// address its symbol has. Throws CubinError where the type is not one that a linked cubin holds,
// where it would write past the end, and where the instruction there has no such field.
void apply_relocation(const Cubin& cubin, const Relocation& relocation,
                      std::uint64_t symbol_address, std::span<std::byte> section);

}  // namespace heddle::isa
