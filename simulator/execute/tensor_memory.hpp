// A block's tensor memory (PTX tcgen05): 128 lanes of 512 columns of 32 bits, of which it takes
// columns before it uses them.
//
// On hardware the blocks of a multiprocessor share one, and who finds too few columns waits. Here
// each block has its own.
#pragma once

#include <cstdint>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

inline constexpr unsigned kTensorLanes = 128, kTensorColumns = 512;
inline constexpr unsigned kColumnsTaken = 32;  // together

struct TensorAddress {
  std::uint32_t lane, column;
  explicit TensorAddress(std::uint32_t address) : lane(address >> 16), column(address & 0xffff) {}
};

inline std::uint32_t& tensor_cell(Block& block, std::uint32_t lane, std::uint32_t column) {
  return block.tensor_cells[std::size_t{lane} * kTensorColumns + column];
}

// Whether the block has taken all of these columns, and there are such lanes; else a fault.
bool has_tensor_cells(Core& core, const Warp& warp, const Step& step, Mask on, TensorAddress at,
                      std::uint32_t lanes, std::uint32_t columns);

// Products whose sums lie there.
Execute lower_tensor_product(const isa::Instruction& instruction, Step& step);

}  // namespace heddle::simulator
