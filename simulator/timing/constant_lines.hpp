// The lines of constant memory that a program can name, numbered.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "isa/program.hpp"

namespace heddle::simulator::timing {

struct ConstantLine {
  std::uint32_t bank = 0, number = 0;  // its place in the bank
  auto operator<=>(const ConstantLine&) const = default;
};

class ConstantLines {
 public:
  static constexpr std::size_t kBanks = 5;
  // `bank_bytes`: of banks that code reads by an index in a register all lines can be named.
  ConstantLines(const isa::Program& program, std::uint32_t line_bytes,
                const std::array<std::uint32_t, kBanks>& bank_bytes);

  // In order; the place of a line here is its number.
  const std::vector<ConstantLine>& all() const { return lines_; }
  struct Named {
    std::int32_t line = -1;  // -1: the instruction names none
    // Where a register is added to `offset`: lines of the bank, of which `line` is the first; else
    // 0.
    std::uint32_t lines_of_bank = 0;
    std::uint32_t offset = 0;
  };
  Named of(const isa::Instruction& instruction) const;

 private:
  std::uint32_t line_bytes_;
  std::vector<ConstantLine> lines_;
};

}  // namespace heddle::simulator::timing
