// VIMNMX with predicates.
#pragma once

#include "simulator/lanes/integer.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Of halves alone: whether A's low half, and its high half, was as small, or as
// large, as asked for (__vibmin_u16x2 and the like).
template <u32 kType, class Half>
struct VimnmxWhich {
  using Sources = sources::Plain;
  static WithFlags<u32> eval(const Lane& x) {
    const bool minimum = x.p != 0;
    const auto is_first = [&](u32 shift) -> bool {
      const Half a = static_cast<Half>(x.a >> shift), b = static_cast<Half>(x.b >> shift);
      return (a == b) | ((a < b) == minimum);
    };
    return {minimum_of_type<kType>(x.a, x.b, minimum), is_first(0), is_first(16)};
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
