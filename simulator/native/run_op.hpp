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

struct RunOp {
  const MicroOp* op = nullptr;
  CountPlace threads_on;
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
