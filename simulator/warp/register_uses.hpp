// Which registers and predicates an instruction reads and writes, as places of one array.
//
// What is not known for certain (how many registers a texture fills, say) is left out: a check
// that uses this misses something there, and reports nothing that is not so.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "isa/instruction.hpp"

namespace heddle::simulator {

// Places by one number: vector registers, uniform registers, predicates, uniform predicates.
inline constexpr unsigned kUniformPlace = 256, kPredicatePlace = kUniformPlace + 64,
                          kUniformPredicatePlace = kPredicatePlace + 8,
                          kPlaces = kUniformPredicatePlace + 8;

std::string place_name(unsigned place);  // "R5", "UR4", "P0", "UP1"

struct RegisterUses {
  static constexpr std::size_t kMost = 48;  // a product of matrices of doubles reads 32
  struct Places {
    std::array<std::uint16_t, kMost> at{};
    std::size_t count = 0;
    void add(unsigned place) {
      if (count < kMost) at[count++] = static_cast<std::uint16_t>(place);
    }
    const std::uint16_t* begin() const { return at.data(); }
    const std::uint16_t* end() const { return at.data() + count; }
  };
  Places reads, writes;
  unsigned guard = kPlaces;  // the predicate that guards it; kPlaces: none
};

RegisterUses register_uses(const isa::Instruction& instruction);

}  // namespace heddle::simulator
