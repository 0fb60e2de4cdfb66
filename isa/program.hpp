// A cubin placed in memory: relocated, decoded once into a dense array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/instruction.hpp"

namespace heddle::isa {

// A code address is a byte address in the module's own code space: text sections follow each
// other from kCodeBase, each aligned to 128 bytes. (A GPU has one such space per context; code
// addresses are visible to programs through function pointers only.)
inline constexpr std::uint64_t kCodeBase = 0x1000;

struct CodeRange {
  std::uint32_t function = 0;  // index into Cubin::functions
  std::uint64_t address = 0;   // of its first instruction
  std::uint64_t size = 0;      // bytes
  std::uint64_t section_offset = 0;
  std::uint32_t section = 0;
};

// Where data symbols lie in device memory; asked for by section name and symbol during relocation.
struct Placement {
  std::function<std::uint64_t(std::uint32_t section)> section_address;  // .nv.global and the like
  std::function<std::uint64_t(std::string_view undefined_symbol)> external;  // vprintf, malloc …
};

struct Program {
  Arch arch{};
  // instructions[i] is at address kCodeBase + 16 * i; an empty optional is a word that could not
  // be decoded (padding between sections is NOP). The last one is no code: a trap row, so that what
  // runs past the end is at an index that every array by instruction has.
  std::vector<std::optional<Instruction>> instructions;
  std::vector<Word> words;                       // the same, undecoded
  std::vector<CodeRange> ranges;                 // sorted by address
  std::vector<std::uint64_t> section_addresses;  // per ELF section; 0 where not code
  std::vector<std::vector<std::byte>> sections;  // relocated bytes of data and constant sections

  // The innermost range: a kernel's covers its section, with the local functions behind its code.
  const CodeRange* range_at(std::uint64_t address) const;
  std::uint64_t entry(const Kernel& kernel) const;  // code address of a kernel
  std::uint32_t trap() const { return static_cast<std::uint32_t>(instructions.size() - 1); }
};

// Throws CubinError on a relocation that is unknown or points outside its section.
Program place(const Cubin& cubin, const Placement& placement);

}  // namespace heddle::isa
