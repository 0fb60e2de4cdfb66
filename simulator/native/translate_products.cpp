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
void add_truth(RunCompiler& c, const Xbyak::Zmm& to, PredicateRef read, unsigned half) {
  if (is_false(read)) return;
  const Xbyak::Opmask k = c.predicate(read, half);
  c.vpaddd(to | k, to, c.constant(1));
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
  for (unsigned half = 0; half < c.halves(); ++half) {
    Xbyak::Zmm product = d[half];
    if (!nothing) {
      if (factor == 1u) {
        product = a[half];
      } else if (factor && std::has_single_bit(*factor)) {
        c.vpslld(d[half], a[half], static_cast<std::uint8_t>(std::countr_zero(*factor)));
      } else {
        c.vpmulld(d[half], a[half], b[half]);
      }
    }
    if (nothing) {
      if (op.c_negate) {
        c.vpxord(d[half], d[half], d[half]);
        c.vpsubd(d[half], d[half], third[half]);
      } else {
        c.vmovdqa32(d[half], third[half]);
      }
    } else if (!adds) {
      if (factor == 1u) c.vmovdqa32(d[half], a[half]);
    } else if (op.c_negate) {
      c.vpsubd(d[half], product, third[half]);
    } else {
      c.vpaddd(d[half], product, third[half]);
    }
    if (extended) {
      // Without the one of a negated C.
      if (op.c_negate) c.vpaddd(d[half], d[half], c.constant(~0u));
      add_truth(c, d[half], op.pp, half);
    }
  }
  return true;
}

// The high and low words of a product, in two scratch registers.
void multiply_wide(RunCompiler& c, const Xbyak::Zmm& a, const Xbyak::Zmm& b, bool is_signed,
                   bool wants_low, const Xbyak::Zmm& low, const Xbyak::Zmm& high) {
  const Xbyak::Zmm even = c.scratch(0), odd = c.scratch(1), other = c.scratch(2);
  const auto multiply = [&](const Xbyak::Zmm& to, const Xbyak::Zmm& x, const Xbyak::Zmm& y) {
    is_signed ? c.vpmuldq(to, x, y) : c.vpmuludq(to, x, y);
  };
  multiply(even, a, b);
  c.vpsrlq(odd, a, 32);
  c.vpsrlq(other, b, 32);
  multiply(odd, odd, other);
  c.mov(eax, 0xaaaa);
  c.kmovw(k5, eax);
  if (wants_low) {
    c.vpsllq(other, odd, 32);
    c.vpblendmd(low | k5, even, other);
  }
  c.vpsrlq(other, even, 32);
  c.vpblendmd(high | k5, other, odd);
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
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Zmm low = only_high ? c.scratch(3) : d_low[half];
    const Xbyak::Zmm high = d_high[half];
    if (shifts) {
      const auto by = static_cast<std::uint8_t>(std::countr_zero(*factor));
      const auto rest = static_cast<std::uint8_t>(32 - by);
      if (wants_low) c.vpslld(low, a[half], by);
      is_signed ? c.vpsrad(high, a[half], rest) : c.vpsrld(high, a[half], rest);
    } else {
      multiply_wide(c, a[half], b[half], is_signed, wants_low, low, high);
    }
    if (adds_high) c.vpaddd(high, high, c_high[half]);
    if (!adds_low) continue;
    c.vpaddd(low, low, c_low[half]);
    c.vpcmpud(k5, low, c_low[half], 1);
    c.vpaddd(high | k5, high, c.constant(1));
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
