// Integers and bits. Each case says what the lane function of the same instruction says
// (simulator/lanes/integer.hpp, logic.hpp).
#include <bit>

#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;
using isa::Mod;
using isa::Op;
using Row = RunCompiler::Row;

bool writes_predicates(const MicroOp& op) {
  return op.pu != kDiscardedPredicate || op.pv != kDiscardedPredicate;
}

// to += 1 where a predicate holds.
void add_truth(RunCompiler& c, const Xbyak::Zmm& to, PredicateRef read, unsigned half) {
  if (is_false(read)) return;
  const Xbyak::Opmask k = c.predicate(read, half);
  c.vpaddd(to | k, to, c.constant(1));
}

// A source of which a modifier makes the complement.
Xbyak::Zmm inverted(RunCompiler& c, const Xbyak::Zmm& word, bool invert, unsigned scratch) {
  if (!invert) return word;
  const Xbyak::Zmm to = c.scratch(scratch);
  c.vpternlogd(to, word, word, 0x55);
  return to;
}

// Sums of up to three words and a few ones, with the carries out of each step.
bool add_three(RunCompiler& c) {
  const MicroOp& op = c.op();
  const bool extended = mod(c, Mod::x) != 0, carries = writes_predicates(op);
  if (op.pv != kDiscardedPredicate) return false;
  const bool without_c = c.is_zero(op.c) && !op.c_negate;
  const Row a = c.source(op.a), b = c.source(op.b), third = c.source(op.c), d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Zmm x = inverted(c, a[half], op.a_negate, 0);
    const Xbyak::Zmm y = inverted(c, b[half], op.b_negate, 1);
    const Xbyak::Zmm z = inverted(c, third[half], op.c_negate, 2);
    const Xbyak::Opmask k = half == 0 ? k6 : k7;
    c.vpaddd(d[half], x, y);
    if (carries) c.vpcmpud(k, d[half], x, 1);
    if (!without_c) {
      c.vpaddd(d[half], d[half], z);
      if (carries) {
        c.vpcmpud(k5, d[half], z, 1);
        c.korw(k, k, k5);
      }
    }
    const auto add_ones = [&](std::uint32_t ones, const PredicateRef* read) {
      if (read != nullptr && is_false(*read)) return;
      if (read == nullptr && ones == 0) return;
      if (read != nullptr) {
        const Xbyak::Opmask on = c.predicate(*read, half);
        c.vpaddd(d[half] | on, d[half], c.constant(1));
        // A one that was added carries where nothing is left.
        if (carries) c.vptestnmd(k5 | on, d[half], d[half]);
      } else {
        c.vpaddd(d[half], d[half], c.constant(ones));
        if (carries) c.vpcmpud(k5, d[half], c.constant(ones), 1);
      }
      if (carries) c.korw(k, k, k5);
    };
    if (extended) {
      add_ones(0, &op.pp);
      add_ones(0, &op.pq);
    } else {
      add_ones(op.param[0], nullptr);
    }
  }
  if (!carries) return true;
  c.gather(eax, k6, k7);
  c.set_predicate(op.pu, eax);
  return true;
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
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Opmask k = half == 0 ? k6 : k7;
    if (!is_high) {
      c.vpslld(d[half], a[half], shift);
    } else if (extends_sign) {
      c.vpsrad(d[half], a[half], static_cast<std::uint8_t>(shift == 0 ? 31 : 32 - shift));
    } else if (shift == 0) {
      c.vmovdqa32(d[half], upper[half]);
    } else {
      c.vpshldd(d[half], upper[half], a[half], shift);
    }
    c.vpaddd(d[half], d[half], b[half]);
    if (carries) c.vpcmpud(k, d[half], b[half], 1);
    if (!extended || is_false(op.pp)) continue;
    const Xbyak::Opmask on = c.predicate(op.pp, half);
    c.vpaddd(d[half] | on, d[half], c.constant(1));
    if (!carries) continue;
    c.vptestnmd(k5 | on, d[half], d[half]);
    c.korw(k, k, k5);
  }
  if (!carries) return true;
  c.gather(eax, k6, k7);
  c.set_predicate(op.pu, eax);
  return true;
}

bool shift_by_known(RunCompiler& c, std::uint32_t amount) {
  const MicroOp& op = c.op();
  const bool right = mod(c, Mod::dir) != 0, high = mod(c, Mod::hi) != 0;
  const std::uint32_t type = mod(c, Mod::type);
  const bool is_signed = type == 0 || type == 2;
  const std::uint32_t count = amount & op.param[0];
  if (count > 31) return false;
  const auto by = static_cast<std::uint8_t>(count);
  const bool both = right != high;
  Row a, upper;
  if (both || !right) a = c.source(op.a);
  if (both || right) upper = c.source(op.c);
  const Row d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half) {
    if (right && high) {
      is_signed ? c.vpsrad(d[half], upper[half], by) : c.vpsrld(d[half], upper[half], by);
    } else if (right) {
      c.vpshrdd(d[half], a[half], upper[half], by);
    } else if (high) {
      c.vpshldd(d[half], upper[half], a[half], by);
    } else {
      c.vpslld(d[half], a[half], by);
    }
  }
  return true;
}

bool shift(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (const auto amount = c.known(op.b)) return shift_by_known(c, *amount);
  const bool right = mod(c, Mod::dir) != 0, high = mod(c, Mod::hi) != 0;
  const std::uint32_t type = mod(c, Mod::type);
  const bool is_signed = type == 0 || type == 2;
  // Where the other word brings nothing in.
  if (type < 2 || right != high) return false;
  const bool wraps = op.param[0] != ~0u;
  const Row from = c.source(right ? op.c : op.a), by = c.source(op.b), d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half) {
    Xbyak::Zmm count = by[half];
    if (wraps) {
      count = c.scratch(0);
      c.vpandd(count, by[half], c.constant(31));
    }
    if (!right) {
      c.vpsllvd(d[half], from[half], count);
    } else if (is_signed) {
      c.vpsravd(d[half], from[half], count);
    } else {
      c.vpsrlvd(d[half], from[half], count);
    }
  }
  return true;
}

// The table for a complemented source: its bit of the index swaps.
constexpr std::uint8_t with_inverted(std::uint32_t table, unsigned bit) {
  std::uint32_t to = 0;
  for (unsigned i = 0; i < 8; ++i) to |= (table >> (i ^ 1u << bit) & 1) << i;
  return static_cast<std::uint8_t>(to);
}

bool logic(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (op.pv != kDiscardedPredicate) return false;
  const bool tests = op.pu != kDiscardedPredicate;
  auto table = static_cast<std::uint8_t>(mod(c, Mod::lut) & 0xff);
  if (op.b_negate) table = with_inverted(table, 1);
  if (tests && op.a_negate) table = with_inverted(table, 2);
  if (tests && op.c_negate) table = with_inverted(table, 0);
  const Row a = c.source(op.a), b = c.source(op.b), third = c.source(op.c), d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half) {
    c.vmovdqa32(d[half], a[half]);
    c.vpternlogd(d[half], b[half], third[half], table);
    if (tests) c.vptestmd(half == 0 ? k6 : k7, d[half], d[half]);
  }
  if (!tests) return true;
  c.gather(eax, k6, k7);
  const bool ands = mod(c, Mod::pop) != 0;
  if (!(ands ? is_true(op.pp) : is_false(op.pp))) {
    c.load_predicate(ecx, op.pp);
    ands ? c.and_(eax, ecx) : c.or_(eax, ecx);
  }
  c.set_predicate(op.pu, eax);
  return true;
}

bool predicate_logic(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (op.instruction->a.kind != isa::Source::Kind::none) return false;
  const Xbyak::Xmm a(c.scratch(0).getIdx()), b(c.scratch(1).getIdx()), third(c.scratch(2).getIdx());
  const Xbyak::Xmm to(c.scratch(3).getIdx());
  const auto load = [&](const Xbyak::Xmm& register_, PredicateRef read) {
    c.load_predicate(eax, read);
    c.vmovd(register_, eax);
  };
  load(a, op.pp);
  load(b, op.pq);
  load(third, op.pr);
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint8_t index = i == 0 ? op.pu : op.pv;
    if (index == kDiscardedPredicate) continue;
    c.vmovdqa32(to, a);
    c.vpternlogd(to, b, third, static_cast<std::uint8_t>(op.param[i]));
    c.vmovd(eax, to);
    c.set_predicate(index, eax);
  }
  return true;
}

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

// The lesser where Pp holds, else the greater.
void choose(RunCompiler& c, const Xbyak::Zmm& to, const Xbyak::Zmm& x, const Xbyak::Zmm& y,
            bool is_signed, unsigned half) {
  const auto lesser = [&](const Xbyak::Zmm& d) {
    is_signed ? c.vpminsd(d, x, y) : c.vpminud(d, x, y);
  };
  const auto greater = [&](const Xbyak::Zmm& d) {
    is_signed ? c.vpmaxsd(d, x, y) : c.vpmaxud(d, x, y);
  };
  const PredicateRef read = c.op().pp;
  if (is_true(read)) return lesser(to);
  if (is_false(read)) return greater(to);
  const Xbyak::Zmm other = c.scratch(1);
  lesser(other);
  greater(to);
  c.vmovdqa32(to | c.predicate(read, half), other);
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
  for (unsigned half = 0; half < c.halves(); ++half)
    choose(c, d[half], a[half], b[half], is_signed, half);
  return true;
}

bool add(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (mod(c, Mod::type) != 0) return false;
  const Row a = c.source(op.a), b = c.source(op.b), d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half)
    op.b_negate ? c.vpsubd(d[half], a[half], b[half]) : c.vpaddd(d[half], a[half], b[half]);
  return true;
}

bool add_minimum(RunCompiler& c) {
  const MicroOp& op = c.op();
  const std::uint32_t type = mod(c, Mod::type);
  if (type > 1 || mod(c, Mod::relu) != 0) return false;
  const Row a = c.source(op.a), b = c.source(op.b), third = c.source(op.c), d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half) {
    const Xbyak::Zmm sum = c.scratch(0);
    op.b_negate ? c.vpsubd(sum, a[half], b[half]) : c.vpaddd(sum, a[half], b[half]);
    choose(c, d[half], sum, third[half], type == 1, half);
  }
  return true;
}

bool absolute(RunCompiler& c) {
  const Row b = c.source(c.op().b), d = c.destination();
  for (unsigned half = 0; half < c.halves(); ++half) c.vpabsd(d[half], b[half]);
  return true;
}

}  // namespace

bool translate_integer(RunCompiler& c) {
  switch (c.op().instruction->op) {
    case Op::IADD3:
    case Op::UIADD3:
      return add_three(c);
    case Op::IMAD:
    case Op::UIMAD:
      return multiply_add(c);
    case Op::IMAD_WIDE:
    case Op::UIMAD_WIDE:
      return multiply_add_wide(c, false);
    case Op::IMAD_HI:
      return multiply_add_wide(c, true);
    case Op::LEA:
    case Op::ULEA:
      return load_effective_address(c, false);
    case Op::LEA_HI:
    case Op::ULEA_HI:
      return load_effective_address(c, true);
    case Op::SHF:
    case Op::USHF:
      return shift(c);
    case Op::LOP3:
    case Op::ULOP3:
      return logic(c);
    case Op::PLOP3:
    case Op::UPLOP3:
      return predicate_logic(c);
    case Op::ISETP:
    case Op::UISETP:
      return compare(c);
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
