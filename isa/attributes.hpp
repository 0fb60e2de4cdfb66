// What is known of an instruction from its encoding alone, for metrics and for the timing model.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/instruction.hpp"

namespace heddle::isa {

// The execution unit, by the name Nsight Compute gives its pipe (sm__inst_executed_pipe_*).
// `none`: handled at issue (NOP, DEPBAR).
enum class Unit : std::uint8_t {
  none,
  adu,   // barriers, indexed constants and other address-divergence work
  alu,   // integer, logic, compares, conversions done by the integer unit
  cbu,   // control flow and convergence barriers
  fma,   // FP32 and integer multiply-add
  fp16,  // packed half precision
  fp64,
  lsu,  // loads, stores, atomics, shuffles
  tensor,
  tex,
  uniform,  // the uniform datapath
  xu,       // transcendental functions and conversions
};

// The memory an address names; `generic` decides at run time.
enum class Space : std::uint8_t {
  none,
  generic,
  global,
  shared,
  local,
  constant,
  surface,
  texture
};

struct MemoryAccess {
  enum class Kind : std::uint8_t {
    none,
    load,
    store,
    atomic,     // returns the old value
    reduction,  // returns nothing
    copy,       // LDGSTS: loads from global, stores to shared memory
  };
  Kind kind = Kind::none;
  Space space = Space::none;

  friend constexpr bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

Unit unit(const Instruction& instruction);
std::string_view name(Unit unit);
MemoryAccess memory_access(const Instruction& instruction);

// What an atomic operation works on. (Mod::type has other numbers on sm_90 than before, and again
// others in its floating-point opcodes.)
struct AtomicData {
  enum class Kind : std::uint8_t { unsigned_integer, signed_integer, floating, bfloat };
  Kind kind = Kind::unsigned_integer;
  std::uint8_t bits = 32;  // of one element: 16, 32, 64, 128
  std::uint8_t count = 1;  // elements side by side

  friend constexpr bool operator==(const AtomicData&, const AtomicData&) = default;
};
AtomicData atomic_data(const Instruction& instruction);

// The text of one modifier as the instruction has it: ".F32.FTZ.RN"; empty where there is none.
std::string_view modifier_text(const Instruction& instruction, Mod which);

// Bytes each thread reads or writes (LDSM: bytes each thread receives); 0 where the instruction
// does not access memory or the width is not in it.
unsigned access_bytes(const Instruction& instruction);

// A volatile or atomic load or store: .STRONG or .MMIO.
bool is_strong(const Instruction& instruction);

// WARPSYNC.EXCLUSIVE: its mode has another number up to sm_89.
bool is_exclusive(const Instruction& instruction);

}  // namespace heddle::isa
