#pragma once

#include <cstdint>
#include <vector>

namespace heddle::simulator::ceiling {

class Interpreter {
 public:
  explicit Interpreter(unsigned instructions);
  // Runs the random program `loops` times with these lanes active; returns instructions executed.
  std::uint64_t run(std::uint32_t active, std::uint64_t loops);

 private:
  struct Instruction {
    std::uint8_t operation, d, a, b;
    std::uint32_t immediate;
  };
  std::vector<Instruction> program_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace heddle::simulator::ceiling
