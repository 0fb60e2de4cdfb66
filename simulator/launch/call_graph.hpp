// What code a launch can reach, and whether functions call themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/program.hpp"

namespace heddle::simulator {

// Which functions of a program call which. Where a register says what is called, that may be any
// function in the caller's section or in a section without a kernel: compilers put what one kernel
// calls behind that kernel's code.
class CallGraph {
 public:
  CallGraph(const isa::Program& program, const isa::Cubin& cubin);  // the program must outlive it

  // What launches of a kernel can reach (`entry`: its code address): the functions of its section
  // and those that they call. Indices of Program::ranges, in order.
  std::vector<std::size_t> reached_by_kernel(std::uint64_t entry) const;

  // Whether what executes from `entry` (a code address) on may reach a function that calls itself,
  // directly or through others that calls name.
  bool may_recurse(std::uint64_t entry) const;

 private:
  struct Function {
    std::vector<std::size_t> leads_to;  // by name, each once
    bool calls_any = false;             // by a register
  };

  void add_jump(const isa::Instruction& in, std::uint64_t address);
  std::size_t at(std::uint64_t address) const;
  std::vector<std::size_t> reached_from(std::vector<std::size_t> to_visit) const;

  const isa::Program& program_;
  std::vector<Function> functions_;                   // as Program::ranges
  std::vector<std::vector<std::size_t>> in_section_;  // by ELF section
  std::vector<std::size_t> outside_kernels_;          // in sections without a kernel
};

}  // namespace heddle::simulator
