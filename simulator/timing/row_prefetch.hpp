// The registers that a warp will touch next, by where it stands: what the host is to fetch before
// its turn comes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator::timing {

class RowsAhead {
 public:
  RowsAhead(const isa::Program& program, const LoweredProgram& lowered);
  // Rows of the instructions from there on, each once, round loops.
  std::span<const std::uint16_t> at(std::uint32_t pc) const {
    return std::span(rows_).subspan(first_[pc], first_[pc + 1] - first_[pc]);
  }

 private:
  std::vector<std::uint16_t> rows_;
  std::vector<std::uint32_t> first_;  // in rows_, by instruction
};

}  // namespace heddle::simulator::timing
