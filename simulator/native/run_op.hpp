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

inline bool is_guarded(const MicroOp& op) {
  return op.guard.index % kUniformPredicates != kPT || op.guard.invert.any();
}

// The word of a row of the pool that holds an immediate or zero; nothing of a constant.
using KnownWord = std::function<std::optional<std::uint32_t>(RowOffset)>;

}  // namespace heddle::simulator::native
