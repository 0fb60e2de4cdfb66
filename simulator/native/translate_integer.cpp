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
