// Shifts, and logic of words and of predicates (simulator/lanes/integer.hpp, logic.hpp).
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;
using isa::Mod;
using isa::Op;
using Row = RunCompiler::Row;

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

}  // namespace

bool translate_bits(RunCompiler& c) {
  switch (c.op().instruction->op) {
    case Op::SHF:
    case Op::USHF:
      return shift(c);
    case Op::LOP3:
    case Op::ULOP3:
      return logic(c);
    case Op::PLOP3:
    case Op::UPLOP3:
      return predicate_logic(c);
    default:
      return false;
  }
}

}  // namespace heddle::simulator::native
