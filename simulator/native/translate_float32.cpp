// FP32 arithmetic to nearest, without flushing or clamping (simulator/lanes/float32.hpp). Vector
// units compute the same numbers; what is not one becomes the GPU's one NaN.
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;
using isa::Mod;
using isa::Op;
using Row = RunCompiler::Row;

constexpr std::uint32_t kNan = 0x7fffffff, kMagnitude = 0x7fffffff, kSign = 0x80000000;

// A source with its modifiers.
Vector modified(RunCompiler& c, const Vector& word, bool negate, bool absolute, unsigned scratch) {
  if (!negate && !absolute) return word;
  const Vector to = c.scratch(scratch);
  if (absolute) c.bits_and(to, word, kMagnitude);
  if (negate) c.bits_xor(to, absolute ? to : word, kSign);
  return to;
}

void make_canonical(RunCompiler& c, const Vector& result) {
  const Truth is_nan = c.other_lanes();
  c.compare_floats(is_nan, result, result, 3);  // unordered
  c.replace(result, is_nan, kNan);
}

bool is_plain(const RunCompiler& c, Mod flushes) {
  return mod(c, flushes) == 0 && mod(c, Mod::sat) == 0 && mod(c, Mod::rnd) == 0;
}

// compute(d, a, b), of a half.
template <typename Compute>
void combine(RunCompiler& c, Compute&& compute) {
  const MicroOp& op = c.op();
  const Row a = c.source(op.a), b = c.source(op.b), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Vector x = modified(c, a[part], op.a_negate, op.a_absolute, 0);
    const Vector y = modified(c, b[part], op.b_negate, op.b_absolute, 1);
    compute(d[part], x, y, part);
  }
}

bool add(RunCompiler& c) {
  if (!is_plain(c, Mod::ftz)) return false;
  combine(c, [&](const auto& d, const auto& x, const auto& y, unsigned) {
    c.vaddps(d, x, y);
    make_canonical(c, d);
  });
  return true;
}

bool multiply(RunCompiler& c) {
  const std::uint32_t scale = mod(c, Mod::scale);
  if (!is_plain(c, Mod::fmz) || (scale != 0 && scale != 4)) return false;
  combine(c, [&](const auto& d, const auto& x, const auto& y, unsigned) {
    c.vmulps(d, x, y);
    make_canonical(c, d);
  });
  return true;
}

bool multiply_add(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (!is_plain(c, Mod::fmz)) return false;
  const Row a = c.source(op.a), b = c.source(op.b), third = c.source(op.c), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Vector x = modified(c, a[part], op.a_negate, op.a_absolute, 0);
    const Vector y = modified(c, b[part], op.b_negate, op.b_absolute, 1);
    const Vector z = modified(c, third[part], op.c_negate, op.c_absolute, 2);
    c.vmovaps(d[part], x);
    c.vfmadd213ps(d[part], y, z);
    make_canonical(c, d[part]);
  }
  return true;
}

bool compare(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (mod(c, Mod::ftz) != 0) return false;
  // Sets of less, equal, greater and unordered; a vector unit's comparison for each.
  constexpr std::uint8_t kComparisons[] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                           0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
  const Row a = c.source(op.a), b = c.source(op.b);
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Vector x = modified(c, a[part], op.a_negate, op.a_absolute, 0);
    const Vector y = modified(c, b[part], op.b_negate, op.b_absolute, 1);
    c.compare_floats(c.lanes(part), x, y, kComparisons[mod(c, Mod::cmp) & 15]);
  }
  c.set_compared();
  return true;
}

bool select(RunCompiler& c) {
  if (mod(c, Mod::ftz) != 0) return false;
  combine(c, [&](const auto& d, const auto& x, const auto& y, unsigned part) {
    c.choose(d, y, x, c.predicate(c.op().pp, part));
  });
  return true;
}

}  // namespace

bool translate_float32(RunCompiler& c) {
  switch (c.op().instruction->op) {
    case Op::FADD:
      return add(c);
    case Op::FMUL:
    case Op::UFMUL:
      return multiply(c);
    case Op::FFMA:
    case Op::UFFMA:
      return multiply_add(c);
    case Op::FSETP:
    case Op::UFSETP:
      return compare(c);
    case Op::FSEL:
      return select(c);
    default:
      return false;
  }
}

}  // namespace heddle::simulator::native
