// The state of one warp as instructions see it.
//
// Registers are stored register-major: row r holds register r of all 32 lanes. Uniform registers
// are rows too, all 32 words equal, and uniform predicates are masks of all or no bits; so a
// uniform instruction is the vector instruction of the same name run over uniform rows.
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.hpp"
#include "simulator/base/mask.hpp"

namespace heddle::simulator {

// Row numbers within a warp.
inline constexpr unsigned kDiscardRow = 255;  // and seven more, for wide results to RZ
inline constexpr unsigned kUniformRow =
    263;  // UR0; the three rows after the last are discarded too
inline constexpr unsigned kReturnRow =
    kUniformRow + isa::kUniformRegisters + 3;  // Rpc, a pair (RPCMOV)
inline constexpr unsigned kRowsPerWarp = kReturnRow + 2;

// Indices into WarpState::predicates.
inline constexpr unsigned kPT = 7;                   // always all ones
inline constexpr unsigned kUniformPredicates = 8;    // UP0 is 8, UPT is 15 (all ones)
inline constexpr unsigned kDiscardedPredicate = 16;  // where writes to PT go

// A predicate that an instruction reads.
struct PredicateRef {
  std::uint8_t index = kPT;
  Mask invert{};  // all lanes when negated
};

struct WarpState {
  std::uint32_t* rows = nullptr;        // this warp's rows; row r starts at rows + 32 * r
  const std::uint32_t* pool = nullptr;  // the launch's rows: immediates, constants, zero
  std::array<Mask, 17> predicates{};

  Mask predicate(PredicateRef read) const { return predicates[read.index] ^ read.invert; }
  // Writes the lanes in `on`; other lanes keep their bit.
  void set_predicate(unsigned index, Mask value, Mask on) {
    predicates[index] = (predicates[index] & ~on) | (value & on);
  }
};

}  // namespace heddle::simulator
