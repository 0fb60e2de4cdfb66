// FP64 arithmetic (simulator/lanes/float64.hpp). The halves of doubles lie in two rows, and go side
// by side into two vector registers of eight for each sixteen lanes.
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;
using isa::Mod;
using isa::Op;
using Row = RunCompiler::Row;

constexpr std::uint64_t kSign = 0x8000000000000000u, kMagnitude = ~kSign;
constexpr std::uint64_t kInvalid = 0xfff8000000000000u, kQuiet = 0x0008000000000000u;
constexpr unsigned kPieces = 2;  // of eight doubles

struct Doubles {
  Row low, high;
  bool negate = false, absolute = false;
};

Doubles source(RunCompiler& c, RowOffset row, bool negate, bool absolute) {
  return {c.source(row), c.source(row, 1), negate, absolute};
}

// As they lie in the registers.
void gather(RunCompiler& c, const Doubles& from, unsigned part, unsigned piece, const Vector& to) {
  piece == 0 ? c.vpunpckldq(to, from.low[part], from.high[part])
             : c.vpunpckhdq(to, from.low[part], from.high[part]);
}

void gather_modified(RunCompiler& c, const Doubles& from, unsigned part, unsigned piece,
                     const Vector& to) {
  gather(c, from, part, piece, to);
  if (from.absolute) c.bits_and_64(to, to, kMagnitude);
  if (from.negate) c.bits_xor_64(to, to, kSign);
}

// A source that is a NaN comes through quieted, its sign as in the register: of several, the last
// of `order` (lanes::double_result). `nans`: which results are some.
void replace_nans(RunCompiler& c, std::initializer_list<const Doubles*> order, unsigned part,
                  unsigned piece, const Vector& result, Truth nans) {
  const Vector raw = c.scratch(2);
  c.replace_64(result, nans, kInvalid);
  for (const Doubles* each : order) {
    gather(c, *each, part, piece, raw);
    c.is_nan_where(c.lanes(0), raw, nans);
    c.or_where_64(result, c.lanes(0), raw, kQuiet);
  }
}

// compute(pieces of the sources): leaves the result in the first of them.
template <typename Compute>
bool arithmetic(RunCompiler& c, std::initializer_list<const Doubles*> sources,
                std::initializer_list<const Doubles*> order, Compute&& compute) {
  const Row d_low = c.destination(), d_high = c.destination(1);
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Vector result[kPieces] = {c.scratch(0), c.scratch(1)};
    for (unsigned piece = 0; piece < kPieces; ++piece) {
      Vector parts[3] = {result[piece], c.scratch(2), c.scratch(3)};
      unsigned next = 0;
      for (const Doubles* each : sources) gather_modified(c, *each, part, piece, parts[next++]);
      compute(parts[0], parts[1], parts[2]);
      Xbyak::Label numbers;
      const Truth nans = c.other_lanes();
      c.lanes(0);  // which takes its register before the code may jump
      c.compare_doubles(nans, result[piece], result[piece], 3);  // unordered
      c.jump_if_none(nans, numbers);
      replace_nans(c, order, part, piece, result[piece], nans);
      c.L(numbers);
    }
    c.vshufps(d_low[part], result[0], result[1], 0x88);
    c.vshufps(d_high[part], result[0], result[1], 0xdd);
  }
  return true;
}

// compute(a, b), which leaves the result in the first.
template <typename Compute>
bool combine(RunCompiler& c, Compute&& compute) {
  const MicroOp& op = c.op();
  if (mod(c, Mod::rnd) != 0) return false;
  const Doubles a = source(c, op.a, op.a_negate, op.a_absolute);
  const Doubles b = source(c, op.b, op.b_negate, op.b_absolute);
  return arithmetic(c, {&a, &b}, {&a, &b},
                    [&](const auto& x, const auto& y, const auto&) { compute(x, y); });
}

bool add(RunCompiler& c) {
  return combine(c, [&](const auto& x, const auto& y) { c.vaddpd(x, x, y); });
}

bool multiply(RunCompiler& c) {
  return combine(c, [&](const auto& x, const auto& y) { c.vmulpd(x, x, y); });
}

bool multiply_add(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (mod(c, Mod::rnd) != 0) return false;
  const Doubles a = source(c, op.a, op.a_negate, op.a_absolute);
  const Doubles b = source(c, op.b, op.b_negate, op.b_absolute);
  const Doubles third = source(c, op.c, op.c_negate, op.c_absolute);
  return arithmetic(c, {&a, &b, &third}, {&a, &third, &b},
                    [&](const auto& x, const auto& y, const auto& z) { c.vfmadd213pd(x, y, z); });
}

}  // namespace

bool translate_float64(RunCompiler& c) {
  switch (c.op().instruction->op) {
    case Op::DADD:
      return add(c);
    case Op::DMUL:
      return multiply(c);
    case Op::DFMA:
      return multiply_add(c);
    default:
      return false;
  }
}

}  // namespace heddle::simulator::native
