// From a modifier's value to the template that was compiled for it.
#pragma once

#include <utility>

#include "simulator/lanes/lane.hpp"
#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

using isa::Mod;
using isa::Op;

// make.operator()<value>() for value < kCount; null beyond.
template <u32 kCount, class Make>
inline LaneFunction choose(u32 value, Make make) {
  LaneFunction chosen = nullptr;
  [&]<u32... kValues>(std::integer_sequence<u32, kValues...>) {
    ((value == kValues ? void(chosen = make.template operator()<kValues>()) : void()), ...);
  }
  (std::make_integer_sequence<u32, kCount>{});
  return chosen;
}

inline bool writes_predicates(const MicroOp& op) {
  return op.pu != kDiscardedPredicate || op.pv != kDiscardedPredicate;
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
