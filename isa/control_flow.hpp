// The control-flow graph of one function.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/dominators.hpp"
#include "isa/program.hpp"

namespace heddle::isa {

struct Edge {
  enum class Kind : std::uint8_t {
    next,      // falls through, or a conditional branch that is not taken
    taken,     // BRA
    indirect,  // BRX
  };
  std::uint32_t block = 0;
  Kind kind = Kind::next;

  friend bool operator==(const Edge&, const Edge&) = default;
};

// Instructions that are always executed one after the other. A call is one of them: it comes back
// to the instruction after it.
struct BasicBlock {
  std::uint64_t address = 0;
  std::uint32_t instructions = 0;
  std::vector<Edge> successors;
  std::vector<std::uint32_t> predecessors;
  // A thread may leave the function at the end of this block: EXIT, RET, a branch out of the
  // function, the end of its code.
  bool leaves = false;
  // A thread may go somewhere that is not known: an indirect branch that the compiler lists no
  // targets for, or a word that cannot be decoded. Counts as leaving.
  bool unresolved = false;

  std::uint64_t end() const { return address + std::uint64_t{16} * instructions; }
};

// CALL; without a target where that is in a register.
struct CallSite {
  std::uint64_t address = 0;
  std::optional<std::uint64_t> target;
};

// BSSY: from here on, until all of them have reached the BSYNC before `target`, threads may be
// apart.
struct ConvergenceRegion {
  std::uint64_t address = 0;  // of the BSSY
  std::uint64_t target = 0;
  std::uint8_t barrier = 0;
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;  // by address; the first is the entry
  std::vector<CallSite> calls;
  std::vector<ConvergenceRegion> regions;
  DominatorTree dominators;
  // Over the blocks and one node more, exit(), that every leaving block leads to. A block that
  // never leaves (an endless loop) is not reachable in it.
  DominatorTree post_dominators;

  std::uint32_t exit() const { return static_cast<std::uint32_t>(blocks.size()); }
  std::uint32_t block_at(std::uint64_t address) const;  // kNoNode where it belongs to none
};

// `range` is one of program.ranges, and `program` was placed from `cubin`. Functions nested in the
// range (those behind a kernel's code) do not belong to it.
ControlFlow control_flow(const Cubin& cubin, const Program& program, const CodeRange& range);

}  // namespace heddle::isa
