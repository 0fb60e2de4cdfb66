// Functions that call themselves.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "isa/program.hpp"

namespace heddle::simulator {

// Which functions of a program call which.
class CallGraph {
 public:
  explicit CallGraph(const isa::Program& program);  // which must outlive it

  // Whether what executes from `entry` (a code address) on may come to a function that calls
  // itself, directly or through others that calls name. Where a register says what is called, that
  // may be any function of the module.
  bool may_recurse(std::uint64_t entry) const;

 private:
  struct Function {
    std::set<std::size_t> calls;  // by name
    bool calls_any = false;       // by a register
  };

  void add_call(const isa::Instruction& in, std::uint64_t address);
  std::size_t at(std::uint64_t address) const;
  std::set<std::size_t> reached_from(std::size_t start) const;

  const isa::Program& program_;
  std::vector<Function> functions_;  // as Program::ranges
};

}  // namespace heddle::simulator
