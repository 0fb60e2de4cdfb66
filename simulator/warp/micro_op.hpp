// An instruction made ready to execute: operands resolved to rows, modifiers to plain numbers.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"
#include "simulator/base/mask.hpp"
#include "simulator/warp/warp.hpp"

namespace heddle::simulator {

struct MicroOp;

// Executes an instruction that touches only registers and predicates. `on` is never empty; it is
// the active lanes whose guard holds (all lanes for a uniform instruction). Must leave the
// destination rows of other lanes unchanged. Warp operations with a uniform result (VOTEU, REDUX,
// R2UR, ELECT) take the active lanes too, and fill the whole uniform row. The calling thread holds
// a lanes::FloatEnvironment.
using LaneFunction = void (*)(WarpState& warp, const MicroOp& op, Mask on);

// Word offset of a row: at or above 0 in the warp's rows, below 0 in the launch's pool at ~offset.
using RowOffset = std::int32_t;

struct MicroOp {
  LaneFunction lane =
      nullptr;  // null: the machine executes it (memory, control, special registers)
  // Destination row; a pair or quad goes on in the rows after it. Writes to RZ go to a row nobody
  // reads.
  RowOffset d = 0;
  // Sources. 64-bit sources take this row (low words) and the next one (high words), immediates and
  // constants too (isa::operand_widths; an FP64 immediate is the high word of the double).
  RowOffset a = 0, b = 0, c = 0;
  // Modifiers of each source as the instruction has them.
  bool a_negate = false, a_absolute = false;
  bool b_negate = false, b_absolute = false;
  bool c_negate = false, c_absolute = false;
  std::uint8_t pu = kDiscardedPredicate, pv = kDiscardedPredicate;
  PredicateRef guard, pp, pq, pr;
  std::array<std::uint32_t, 4> param{};  // what the lane function's selector stored for it
  const isa::Instruction* instruction = nullptr;
};

inline const std::uint32_t* source_row(const WarpState& warp, RowOffset offset) {
  return offset >= 0 ? warp.rows + offset : warp.pool + ~offset;
}
inline std::uint32_t* destination_row(const WarpState& warp, RowOffset offset) {
  return warp.rows + offset;
}

// simulator/lanes: the lane functions.

// Chooses `op.lane` and fills `op.param` for an instruction whose other fields are filled in.
// False when the instruction is not a lane operation or has a modifier that is not implemented.
bool select_lane_function(const isa::Instruction& instruction, MicroOp& op);

}  // namespace heddle::simulator
