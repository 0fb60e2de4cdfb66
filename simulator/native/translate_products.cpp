// Products of integers, and what is added to them (simulator/lanes/integer.hpp).
#include <bit>

#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;
using isa::Mod;
using isa::Op;
using Row = RunCompiler::Row;

// to += 1 where a predicate holds.
void add_truth(RunCompiler& c, const Vector& to, PredicateRef read, unsigned part) {
  if (is_false(read)) return;
  c.add_one_where(to, c.predicate(read, part));
}

bool multiply_add(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (op.a_negate || op.b_negate || writes_predicates(op)) return false;
  const bool extended = mod(c, Mod::x) != 0;
  const bool nothing = c.is_zero(op.a) || c.is_zero(op.b);
  const auto factor = c.known(op.b);
  const bool adds = !(c.is_zero(op.c) && !op.c_negate);
  Row a, b, third;
  if (!nothing) a = c.source(op.a);
  if (!nothing && !(factor && std::has_single_bit(*factor))) b = c.source(op.b);
  if (adds || nothing) third = c.source(op.c);
  const Row d = c.destination();
  for (unsigned part = 0; part < c.parts(); ++part) {
    Vector product = d[part];
    if (!nothing) {
      if (factor == 1u) {
        product = a[part];
      } else if (factor && std::has_single_bit(*factor)) {
        c.vpslld(d[part], a[part], static_cast<std::uint8_t>(std::countr_zero(*factor)));
      } else {
        c.vpmulld(d[part], a[part], b[part]);
      }
    }
    if (nothing) {
      if (op.c_negate) {
        c.clear(d[part]);
        c.vpsubd(d[part], d[part], third[part]);
      } else {
        c.copy(d[part], third[part]);
      }
    } else if (!adds) {
      if (factor == 1u) c.copy(d[part], a[part]);
    } else if (op.c_negate) {
      c.vpsubd(d[part], product, third[part]);
    } else {
      c.vpaddd(d[part], product, third[part]);
    }
    if (extended) {
      // Without the one of a negated C.
      if (op.c_negate) c.add_word(d[part], d[part], ~0u);
      add_truth(c, d[part], op.pp, part);
    }
  }
  return true;
}

// The high and low words of a product, in two scratch registers.
void multiply_wide(RunCompiler& c, const Vector& a, const Vector& b, bool is_signed, bool wants_low,
                   const Vector& low, const Vector& high) {
  const Vector even = c.scratch(0), odd = c.scratch(1), other = c.scratch(2);
  const auto multiply = [&](const Vector& to, const Vector& x, const Vector& y) {
    is_signed ? c.vpmuldq(to, x, y) : c.vpmuludq(to, x, y);
  };
  multiply(even, a, b);
  c.vpsrlq(odd, a, 32);
  c.vpsrlq(other, b, 32);
  multiply(odd, odd, other);
  c.begin_blend();
  if (wants_low) {
    c.vpsllq(other, odd, 32);
    c.blend_odd(low, even, other);
  }
  c.vpsrlq(other, even, 32);
  c.blend_odd(high, other, odd);
}

bool multiply_add_wide(RunCompiler& c, bool only_high) {
  const MicroOp& op = c.op();
  if (op.a_negate || op.b_negate || op.c_negate || writes_predicates(op)) return false;
  if (mod(c, Mod::x) != 0) return false;
  const bool is_signed = (mod(c, Mod::is_signed) & 1) != 0;
  const auto factor = c.known(op.b);
  const bool shifts =
      factor && std::has_single_bit(*factor) && *factor != 1 && !(is_signed && *factor >> 31 != 0);
  const bool adds_low = !c.is_zero(op.c), adds_high = !(op.c < 0 && c.known(~(~op.c + 32)) == 0u);
  const Row a = c.source(op.a);
  Row b, c_low, c_high;
  if (!shifts) b = c.source(op.b);
  if (adds_low) c_low = c.source(op.c);
  if (adds_high) c_high = c.source(op.c, 1);
  const bool wants_low = !only_high || adds_low;
  Row d_low, d_high;
  if (!only_high) d_low = c.destination();
  d_high = c.destination(only_high ? 0 : 1);
  for (unsigned part = 0; part < c.parts(); ++part) {
    const Vector low = only_high ? c.scratch(3) : d_low[part];
    const Vector high = d_high[part];
    if (shifts) {
      const auto by = static_cast<std::uint8_t>(std::countr_zero(*factor));
      const auto rest = static_cast<std::uint8_t>(32 - by);
      if (wants_low) c.vpslld(low, a[part], by);
      is_signed ? c.vpsrad(high, a[part], rest) : c.vpsrld(high, a[part], rest);
    } else {
      multiply_wide(c, a[part], b[part], is_signed, wants_low, low, high);
    }
    if (adds_high) c.vpaddd(high, high, c_high[part]);
    if (!adds_low) continue;
    c.vpaddd(low, low, c_low[part]);
    c.compare(c.other_lanes(), low, c_low[part], Comparison::lt, false);
    c.add_one_where(high, c.other_lanes());
  }
  return true;
}

}  // namespace

bool translate_products(RunCompiler& c) {
  switch (c.op().instruction->op) {
    case Op::IMAD:
    case Op::UIMAD:
      return multiply_add(c);
    case Op::IMAD_WIDE:
    case Op::UIMAD_WIDE:
      return multiply_add_wide(c, false);
    case Op::IMAD_HI:
      return multiply_add_wide(c, true);
    default:
      return false;
  }
}

}  // namespace heddle::simulator::native
