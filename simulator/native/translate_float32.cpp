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
Xbyak::Zmm modified(RunCompiler& c, const Xbyak::Zmm& word, bool negate, bool absolute,
                    unsigned scratch) {
  if (!negate && !absolute) return word;
  const Xbyak::Zmm to = c.scratch(scratch);
  if (absolute) c.vpandd(to, word, c.constant(kMagnitude));
  if (negate) c.vpxord(to, absolute ? to : word, c.constant(kSign));
  return to;
}

void make_canonical(RunCompiler& c, const Xbyak::Zmm& result) {
  c.vcmpps(k5, result, result, 3);  // unordered
  c.vpbroadcastd(result | k5, c.word(kNan));
}

bool is_plain(const RunCompiler& c, Mod flushes) {
  return mod(c, flushes) == 0 && mod(c, Mod::sat) == 0 && mod(c, Mod::rnd) == 0;
}

// compute(d, a, b), of a half.
template <typename Compute>
void combine(RunCompiler& c, Compute&& compute) {
  const MicroOp& op = c.op();
  const Row a = c.source(op.a), b = c.source(op.b), d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Zmm x = modified(c, a[half], op.a_negate, op.a_absolute, 0);
    const Xbyak::Zmm y = modified(c, b[half], op.b_negate, op.b_absolute, 1);
    compute(d[half], x, y, half);
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
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Zmm x = modified(c, a[half], op.a_negate, op.a_absolute, 0);
    const Xbyak::Zmm y = modified(c, b[half], op.b_negate, op.b_absolute, 1);
    const Xbyak::Zmm z = modified(c, third[half], op.c_negate, op.c_absolute, 2);
    c.vmovaps(d[half], x);
    c.vfmadd213ps(d[half], y, z);
    make_canonical(c, d[half]);
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
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Zmm x = modified(c, a[half], op.a_negate, op.a_absolute, 0);
    const Xbyak::Zmm y = modified(c, b[half], op.b_negate, op.b_absolute, 1);
    c.vcmpps(half == 0 ? k6 : k7, x, y, kComparisons[mod(c, Mod::cmp) & 15]);
  }
  c.set_compared();
  return true;
}

bool select(RunCompiler& c) {
  if (mod(c, Mod::ftz) != 0) return false;
  combine(c, [&](const auto& d, const auto& x, const auto& y, unsigned half) {
    c.vpblendmd(d | c.predicate(c.op().pp, half), y, x);
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
