// Three-input logic and predicate logic (docs/hardware/arithmetic.md).
#pragma once

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

// Bit i of the table is the answer for a = bit 2, b = bit 1, c = bit 0 of i.
inline u32 lookup3(u32 table, u32 a, u32 b, u32 c) {
  const auto pick = [&](u32 i) { return 0u - (table >> i & 1); };
  const auto mux = [](u32 s, u32 one, u32 zero) { return (one & s) | (zero & ~s); };
  return mux(a, mux(b, mux(c, pick(7), pick(6)), mux(c, pick(5), pick(4))),
             mux(b, mux(c, pick(3), pick(2)), mux(c, pick(1), pick(0))));
}

template <u32 kTable>
struct Lop3 {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) { return lookup3(kTable, x.a, x.b, x.c); }
};

// k[0]: the table, k[1]: 1 when Pu is ANDed with Pp, else it is ORed. The usual !PT with OR leaves
// Pu = (result != 0).
struct Lop3Predicate {
  using Sources = sources::Inverted;
  static WithFlags<u32> eval(const Lane& x, const Params& k) {
    const u32 result = lookup3(k[0], x.a, x.b, x.c);
    const bool flag = k[1] != 0 ? (result != 0) & (x.p != 0) : (result != 0) | (x.p != 0);
    return {result, flag, false};
  }
};

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
