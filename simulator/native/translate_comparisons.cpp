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
  using enum Comparison;
  constexpr Comparison kComparisons[] = {never, lt, eq, le, gt, ne, ge, always};  // as ISETP's
  const std::uint32_t number = mod(c, Mod::cmp) & 7;
  const bool is_signed = mod(c, Mod::is_signed) != 0;
  const bool extended = mod(c, Mod::ex) != 0 && number != 0 && number != 7;
  const Row a = c.source(op.a), b = c.source(op.b);
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Truth result = c.lanes(part);
    c.compare(result, a[part], b[part], kComparisons[number], is_signed);
    if (!extended) continue;
    // Equal words leave it to the low ones.
    const Truth equal = c.other_lanes();
    c.compare(equal, a[part], b[part], eq, true);
    c.truth_and_not(result, equal, result);
    c.truth_and(equal, equal, c.predicate_beside(op.pr, part));
    c.truth_or(result, result, equal);
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
