// The texture unit of an SM: a queue for each sub-core, and a unit that takes quads, four lanes
// side by side, one after the other. Measured: gpu/kernels/micro/timing/textures.cu.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/launch/observer.hpp"
#include "simulator/memory/texture.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/divisor.hpp"

namespace heddle::simulator::timing {

// Where a GPU keeps the bytes of an array whose rows lie one behind the other here: in blocks of 64
// bytes by 8 rows, of which a cache line has 32 bytes of 4 rows (Tegra X1 technical reference
// manual, "Block Linear"). Linear memory stays as it is.
class BlockedLayout {
 public:
  explicit BlockedLayout(const TextureHeader& header);
  std::uint64_t place_of(std::uint64_t address) const;

 private:
  const std::uint64_t address_, layer_bytes_, row_blocks_;
  const bool is_linear_;
  const Divisor by_layer_, by_row_;
};

// Whether it is read as words: linear memory, and surfaces.
bool is_straight(const TextureHeader& header);

class TextureUnit {
 public:
  explicit TextureUnit(const Constants& constants);

  // When the sub-core's queue has room.
  Cycle room(unsigned sub_core) const { return queues_[sub_core].leaves[queues_[sub_core].next]; }
  // What an instruction asks of the unit, in hundredths of a cycle. `accesses`: texels, at the
  // places that BlockedLayout gives, one of each lane in each.
  std::uint64_t work(const TextureHeader& header, bool gathers, std::span<const Access> accesses,
                     Mask on) const;
  // When the unit begins with an instruction that issues `now`. `texture`: what tells it from
  // others; a texture's first instruction brings its header.
  Cycle take(unsigned sub_core, Cycle now, std::uint64_t texture, std::uint64_t work);

 private:
  struct Queue {
    std::vector<Cycle> leaves;  // when the last instructions leave it, a ring
    std::size_t next = 0;
  };
  std::uint64_t of_results(const TextureHeader& header, bool gathers, std::size_t texels) const;
  std::uint64_t of_memory(const TextureHeader& header, std::span<const Access> accesses,
                          Mask quad) const;

  const Constants& constants_;
  std::vector<Queue> queues_;
  Server unit_;
  std::vector<std::uint64_t> known_;  // textures whose headers are here
};

}  // namespace heddle::simulator::timing
