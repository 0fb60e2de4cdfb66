// What is known of an instruction from its encoding alone: the facts of its opcode (isa/facts.hpp),
// and what its modifiers make of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/facts.hpp"
#include "isa/instruction.hpp"

namespace heddle::isa {

const Facts& facts(Op op);                           // as most of its encodings have them
const Facts& facts(const Instruction& instruction);  // as its own has them

Unit unit(const Instruction& instruction);
std::string_view name(Unit unit);
MemoryAccess memory_access(const Instruction& instruction);
Effect effect(const Instruction& instruction);

// What a memory instruction moves, and what others work on. (Mod::type has other numbers on sm_90
// than before, and again others in its floating-point opcodes.)
DataType data_type(const Instruction& instruction);

// Bytes each thread reads or writes (LDSM: bytes each thread receives); 0 where the instruction
// does not access memory or the width is not in it.
unsigned access_bytes(const Instruction& instruction);

// weak where the instruction says nothing.
MemoryOrder memory_order(const Instruction& instruction);

// A volatile or atomic load or store: .STRONG or .MMIO.
bool is_strong(const Instruction& instruction);

// D = A × B + C of matrices; where `is_sparse`, A holds half of its numbers.
struct MatrixProduct {
  MatrixShape shape;
  DataType a, b, d;
  bool is_sparse = false;
};
// Of an instruction whose work is a product.
MatrixProduct matrix_product(const Instruction& instruction);

// Atomics whose operation is an exchange: the old value is not read.
bool is_exchange(const Instruction& instruction);

// Copies from global to shared memory that leave the data in L1; others (.BYPASS) do not.
bool copies_through_l1(const Instruction& instruction);

// WARPSYNC.EXCLUSIVE: its mode has another number up to sm_89.
bool is_exclusive(const Instruction& instruction);

// Whether it may leave lanes at different places or send them away: a guard or a condition.
bool is_conditional(const Instruction& instruction);

// VOTE of PT: the mask of the lanes that execute it.
bool reads_active_mask(const Instruction& instruction);

// BMOV into a convergence barrier; other forms read one, or the warp's state.
bool writes_barrier(const Instruction& instruction);

// SYNCS.EXCH: makes a barrier in shared memory.
bool makes_shared_barrier(const Instruction& instruction);

// CCTL.IVALL: nothing is in L1 any more.
bool empties_l1(const Instruction& instruction);

// DEPBAR: the scoreboards, bit by bit, that must be zero; others than the one it counts down.
std::uint8_t awaited_scoreboards(const Instruction& instruction);

// BRA.DIV, BRA.CONV: what decides is a mask of lanes.
bool branches_on_mask(const Instruction& instruction);

}  // namespace heddle::isa
