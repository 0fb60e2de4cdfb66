// An instruction of a run, as the compiler finds it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "simulator/warp/micro_op.hpp"

namespace heddle::simulator::native {

// Where the counts of an instruction are: byte `offset` behind the pointer of a page.
struct CountPlace {
  std::uint32_t page = 0, offset = 0;
};

// A weak load or store of whole words, of global or of a block's own shared memory, where its code
// may find that all lanes access a row of memory, one place, or places as the last time. A lane's
// address is `offset`, its registers (op->a) and the uniform ones.
struct RowAccess {
  enum class Base : std::uint8_t { none, word, pair };
  Base base = Base::none, uniform = Base::none;
  bool loads = false, is_shared = false, has_policy = false;
  bool gives_way_in_shared = false, gives_way_in_global = false;  // as of Machine
  std::uint8_t width = 0;     // bytes for a lane; 0: it is another instruction
  RowOffset uniform_row = 0;  // of the uniform registers, or of the pair that holds the policy
  std::int32_t offset = 0;
  std::uint32_t row_before = 0;  // its place in Machine::rows_before
};

struct RunOp {
  const MicroOp* op = nullptr;
  CountPlace threads_on;
  // Of one without a lane function: what executes it (an Execute of the room `execute`), for a warp
  // of which all lanes are active, and for others, where it sets Machine::current_pc.
  const void *execute = nullptr, *execute_partial = nullptr;
  RowAccess access{};
  bool is_idle = false;  // that one does nothing where no lane is on
  // Jumps by its guard alone to the instruction `target`.
  bool is_branch = false;
  std::uint32_t target = 0;
};

// Whether a predicate is PT, or its complement.
inline bool is_true(PredicateRef read) {
  return read.index % kUniformPredicates == kPT && read.invert.empty();
}
inline bool is_false(PredicateRef read) {
  return read.index % kUniformPredicates == kPT && read.invert.any();
}

inline bool is_guarded(const MicroOp& op) { return !is_true(op.guard); }
inline bool writes_predicates(const MicroOp& op) {
  return op.pu != kDiscardedPredicate || op.pv != kDiscardedPredicate;
}

// The word of a row of the pool that holds an immediate or zero; nothing of a constant.
using KnownWord = std::function<std::optional<std::uint32_t>(RowOffset)>;

}  // namespace heddle::simulator::native
