// Sums, differences, the least and the greatest of integers. Each case says what the lane function
// of the same instruction says (simulator/lanes/integer.hpp).
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;
using isa::Mod;
using isa::Op;
using Row = RunCompiler::Row;

// A source of which a modifier makes the complement.
Vector inverted(RunCompiler& c, const Vector& word, bool invert, unsigned scratch) {
  if (!invert) return word;
  const Vector to = c.scratch(scratch);
  c.invert(to, word);
  return to;
}

// Sums of up to three words and a few ones, with the carries out of each step.
bool add_three(RunCompiler& c) {
  const MicroOp& op = c.op();
  const bool extended = mod(c, Mod::x) != 0, carries = writes_predicates(op);
  if (op.pv != kDiscardedPredicate) return false;
  const bool without_c = c.is_zero(op.c) && !op.c_negate;
  const Row a = c.source(op.a), b = c.source(op.b), third = c.source(op.c), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Vector x = inverted(c, a[part], op.a_negate, 0);
    const Vector y = inverted(c, b[part], op.b_negate, 1);
    const Vector z = inverted(c, third[part], op.c_negate, 2);
    const Truth k = c.lanes(part);
    c.vpaddd(d[part], x, y);
    if (carries) c.compare(k, d[part], x, Comparison::lt, false);
    if (!without_c) {
      c.vpaddd(d[part], d[part], z);
      if (carries) {
        c.compare(c.other_lanes(), d[part], z, Comparison::lt, false);
        c.truth_or(k, k, c.other_lanes());
      }
    }
    const auto add_ones = [&](std::uint32_t ones, const PredicateRef* read) {
      if (read != nullptr && is_false(*read)) return;
      if (read == nullptr && ones == 0) return;
      if (read != nullptr) {
        const Truth on = c.predicate(*read, part);
        c.add_one_where(d[part], on);
        // A one that was added carries where nothing is left.
        if (carries) c.is_zero_where(c.other_lanes(), d[part], on);
      } else {
        c.add_word(d[part], d[part], ones);
        if (carries) c.compare(c.other_lanes(), d[part], ones, Comparison::lt);
      }
      if (carries) c.truth_or(k, k, c.other_lanes());
    };
    if (extended) {
      add_ones(0, &op.pp);
      add_ones(0, &op.pq);
    } else {
      add_ones(op.param[0], nullptr);
    }
  }
  if (!carries) return true;
  c.set_predicate(op.pu, Combination::both, {});
  return true;
}

bool load_effective_address(RunCompiler& c, bool is_high) {
  const MicroOp& op = c.op();
  const bool extended = mod(c, Mod::x) != 0, carries = op.pu != kDiscardedPredicate;
  if (op.a_negate || op.b_negate || op.pv != kDiscardedPredicate) return false;
  const bool extends_sign = is_high && mod(c, Mod::sx32) != 0;
  const auto shift = static_cast<std::uint8_t>(op.param[3]);
  const Row a = c.source(op.a), b = c.source(op.b);
  Row upper;
  if (is_high && !extends_sign) upper = c.source(op.c);
  const Row d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Truth k = c.lanes(part);
    if (!is_high) {
      c.vpslld(d[part], a[part], shift);
    } else if (extends_sign) {
      c.vpsrad(d[part], a[part], static_cast<std::uint8_t>(shift == 0 ? 31 : 32 - shift));
    } else if (shift == 0) {
      c.copy(d[part], upper[part]);
    } else {
      c.pair_left(d[part], upper[part], a[part], shift);
    }
    c.vpaddd(d[part], d[part], b[part]);
    if (carries) c.compare(k, d[part], b[part], Comparison::lt, false);
    if (!extended || is_false(op.pp)) continue;
    const Truth on = c.predicate(op.pp, part);
    c.add_one_where(d[part], on);
    if (!carries) continue;
    c.is_zero_where(c.other_lanes(), d[part], on);
    c.truth_or(k, k, c.other_lanes());
  }
  if (!carries) return true;
  c.set_predicate(op.pu, Combination::both, {});
  return true;
}

// The lesser where Pp holds, else the greater.
void choose(RunCompiler& c, const Vector& to, const Vector& x, const Vector& y, bool is_signed,
            unsigned part) {
  const auto lesser = [&](const Vector& d) { is_signed ? c.vpminsd(d, x, y) : c.vpminud(d, x, y); };
  const auto greater = [&](const Vector& d) {
    is_signed ? c.vpmaxsd(d, x, y) : c.vpmaxud(d, x, y);
  };
  const PredicateRef read = c.op().pp;
  if (is_true(read)) return lesser(to);
  if (is_false(read)) return greater(to);
  const Vector other = c.scratch(1);
  lesser(other);
  greater(to);
  c.choose(to, to, other, c.predicate(read, part));
}

bool minimum(RunCompiler& c) {
  const MicroOp& op = c.op();
  bool is_signed = mod(c, Mod::is_signed) != 0;
  if (op.instruction->op != Op::IMNMX) {
    const std::uint32_t type = mod(c, Mod::type);
    if (writes_predicates(op) || type > 1 || mod(c, Mod::relu) != 0) return false;
    is_signed = type == 1;
  }
  const Row a = c.source(op.a), b = c.source(op.b), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part)
    choose(c, d[part], a[part], b[part], is_signed, part);
  return true;
}

bool add(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (mod(c, Mod::type) != 0) return false;
  const Row a = c.source(op.a), b = c.source(op.b), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part)
    op.b_negate ? c.vpsubd(d[part], a[part], b[part]) : c.vpaddd(d[part], a[part], b[part]);
  return true;
}

bool add_minimum(RunCompiler& c) {
  const MicroOp& op = c.op();
  const std::uint32_t type = mod(c, Mod::type);
  if (type > 1 || mod(c, Mod::relu) != 0) return false;
  const Row a = c.source(op.a), b = c.source(op.b), third = c.source(op.c), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Vector sum = c.scratch(0);
    op.b_negate ? c.vpsubd(sum, a[part], b[part]) : c.vpaddd(sum, a[part], b[part]);
    choose(c, d[part], sum, third[part], type == 1, part);
  }
  return true;
}

bool absolute(RunCompiler& c) {
  const Row b = c.source(c.op().b), d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part) c.vpabsd(d[part], b[part]);
  return true;
}

}  // namespace

bool translate_integer(RunCompiler& c) {
  switch (c.op().instruction->op) {
    case Op::IADD3:
    case Op::UIADD3:
      return add_three(c);
    case Op::LEA:
    case Op::ULEA:
      return load_effective_address(c, false);
    case Op::LEA_HI:
    case Op::ULEA_HI:
      return load_effective_address(c, true);
    case Op::IMNMX:
    case Op::VIMNMX:
    case Op::UVIMNMX:
      return minimum(c);
    case Op::VIADD:
      return add(c);
    case Op::VIADDMNMX:
      return add_minimum(c);
    case Op::IABS:
      return absolute(c);
    default:
      return false;
  }
}

}  // namespace heddle::simulator::native
