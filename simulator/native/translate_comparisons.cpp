// Comparisons of integers (simulator/lanes/integer.hpp).
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;
using isa::Mod;
using isa::Op;
using Row = RunCompiler::Row;

bool compare(RunCompiler& c) {
  const MicroOp& op = c.op();
  // Of vector units' comparisons, by the numbers of ISETP: F, LT, EQ, LE, GT, NE, GE, T.
  constexpr std::uint8_t kComparisons[] = {3, 1, 0, 2, 6, 4, 5, 7};
  const std::uint32_t number = mod(c, Mod::cmp) & 7;
  const bool is_signed = mod(c, Mod::is_signed) != 0;
  const bool extended = mod(c, Mod::ex) != 0 && number != 0 && number != 7;
  const Row a = c.source(op.a), b = c.source(op.b);
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Opmask k = half == 0 ? k6 : k7;
    const std::uint8_t comparison = kComparisons[number];
    is_signed ? c.vpcmpd(k, a[half], b[half], comparison)
              : c.vpcmpud(k, a[half], b[half], comparison);
    if (!extended) continue;
    // Equal words leave it to the low ones.
    c.vpcmpd(k5, a[half], b[half], 0);
    c.kandnw(k, k5, k);
    c.vpcmpd(k5 | c.predicate(op.pr, half), a[half], b[half], 0);
    c.korw(k, k, k5);
  }
  c.set_compared();
  return true;
}

}  // namespace

bool translate_comparisons(RunCompiler& c) {
  switch (c.op().instruction->op) {
    case Op::ISETP:
    case Op::UISETP:
      return compare(c);
    default:
      return false;
  }
}

}  // namespace heddle::simulator::native
