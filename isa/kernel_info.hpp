// What .nv.info and the sections named after a kernel say about it.
#pragma once

#include "isa/cubin.hpp"
#include "isa/elf.hpp"

namespace heddle::isa {

inline constexpr std::uint64_t kWordBytes = 16;  // one instruction

// Fills cubin.kernels and cubin.indirect_branches from cubin.functions, which must be there.
// Throws CubinError.
void read_kernels(const ElfFile& elf, Cubin& cubin);

}  // namespace heddle::isa
