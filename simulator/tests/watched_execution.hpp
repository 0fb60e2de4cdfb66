// What the executor really reads and writes when it executes one instruction: seen from outside, by
// running it again with one register changed at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "isa/encoding.hpp"
#include "isa/instruction.hpp"

namespace heddle::simulator {

// Registers and predicates by their text: "R16", "UR8", "P3", "UP1".
using Names = std::set<std::string>;

struct Watched {
  Names read, written;
};

// A word of this encoding with modifiers at random whose operands are registers far apart; nothing
// where the modifiers are not legal together.
std::optional<isa::Instruction> word_to_watch(isa::Arch arch, const isa::Encoding& encoding,
                                              std::mt19937_64& random);

// What each of these did, in some random states of the machine. Nothing for those that
// this cannot watch: they steer threads, move barriers, or stop.
std::vector<std::optional<Watched>> watch(isa::Arch arch,
                                          const std::vector<isa::Instruction>& instructions);

}  // namespace heddle::simulator
