// Between machine words, decoded instructions and the vendor's text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "isa/instruction.hpp"

namespace heddle::isa {

// The instruction a word holds, or nothing where a bit of it belongs to no field of any encoding
// this architecture has (never a guess).
std::optional<Instruction> decode(Arch arch, const Word& word);

// The word the fields of `instruction` make: encode(*decode(arch, w)) == w for every w.
Word encode(const Instruction& instruction);

// How a branch target is written: nvdisasm prints a label, cuobjdump an absolute address.
using TargetNamer = std::function<std::string(std::uint64_t address)>;

// The text nvdisasm 13.0 prints for it (without the trailing " ;"). `address` is that of the
// instruction, for branch targets; without a namer targets print as 0x… addresses.
std::string print(const Instruction& instruction, std::uint64_t address,
                  const TargetNamer& namer = {});

// The opcode alone, with its modifiers: "LDG.E.64".
std::string print_opcode(const Instruction& instruction);

}  // namespace heddle::isa
