// Which SASS registers hold a PTX register at an instruction: the section .nv_debug_info_reg_sass
// of a cubin built with debug information. DWARF's expressions in a cubin name PTX registers.
//
// Layout, as the sources of cuda-gdb describe it (cuda-regmap.c, published by NVIDIA under the
// GPL): for each function its name (zero-terminated) and a number of entries; each entry is a word
// index, the PTX register's name (zero-terminated), a SASS register, and two byte offsets in the
// function. Numbers have 32 bits. The upper 8 bits of a SASS register are its class, the lower 24
// its number. Beside machine code the offsets turn out to be those of the instruction that writes
// the register and of the last that reads it: before the first the value is not there yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/elf.hpp"

namespace heddle::isa {

// 32 bits of a value, or 16 of them.
struct RegisterPart {
  std::uint32_t number = 0;  // R<number>, or UR<number>
  bool is_uniform = false;
  std::uint8_t shift = 0;  // the value's bits begin there
  std::uint8_t bits = 32;
  friend bool operator==(const RegisterPart&, const RegisterPart&) = default;
};

// The names point into the section's bytes.
class RegisterMap {
 public:
  // Throws CubinError.
  explicit RegisterMap(const Bytes& section);
  RegisterMap() = default;

  // Word `word` (0: the lowest 32 bits) of a PTX register ("%r1") before the instruction at
  // `offset` bytes in the function; nothing where no register of the kinds above holds it.
  std::optional<RegisterPart> find(std::string_view function, std::string_view ptx,
                                   std::uint32_t word, std::uint64_t offset) const;

 private:
  struct Entry {
    std::uint32_t word = 0, sass = 0, begin = 0, end = 0;
  };
  std::map<std::string_view, std::map<std::string_view, std::vector<Entry>>> functions_;
};

}  // namespace heddle::isa
