// Where an instruction's constants and textures lie, if a register says it.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/memory/texture.hpp"
#include "simulator/timing/resident_warp.hpp"
#include "simulator/timing/sm_context.hpp"

namespace heddle::simulator::timing {

// The line of the constant that the warp's next instruction has as an operand.
std::uint32_t operand_line(const SmContext& context, const ResidentWarp& warp, const Timed& timed);

// What an LDC reads that is about to issue: lines, and the number of addresses its lanes name.
struct IndexedConstants {
  std::vector<std::uint32_t> lines;
  std::uint32_t places = 1;

  void find(const SmContext& context, const ResidentWarp& warp, const Timed& timed);
};

// That which a texture instruction about to issue reads, as its first lane names it.
TextureHeader texture_read(const SmContext& context, const ResidentWarp& warp);

}  // namespace heddle::simulator::timing
