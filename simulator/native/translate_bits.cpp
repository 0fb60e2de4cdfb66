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
  for (unsigned part = 0; part < c.parts(); ++part) {
    if (right && high) {
      is_signed ? c.vpsrad(d[part], upper[part], by) : c.vpsrld(d[part], upper[part], by);
    } else if (right) {
      c.pair_right(d[part], upper[part], a[part], by);
    } else if (high) {
      c.pair_left(d[part], upper[part], a[part], by);
    } else {
      c.vpslld(d[part], a[part], by);
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
  for (unsigned part = 0; part < c.parts(); ++part) {
    Vector count = by[part];
    if (wraps) {
      count = c.scratch(0);
      c.bits_and(count, by[part], 31);
    }
    if (!right) {
      c.vpsllvd(d[part], from[part], count);
    } else if (is_signed) {
      c.vpsravd(d[part], from[part], count);
    } else {
      c.vpsrlvd(d[part], from[part], count);
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
  for (unsigned part = 0; part < c.parts(); ++part) {
    c.logic(d[part], a[part], b[part], third[part], table);
    if (tests) c.is_not_zero(c.lanes(part), d[part]);
  }
  if (!tests) return true;
  c.set_predicate(op.pu, mod(c, Mod::pop) != 0 ? Combination::both : Combination::either, op.pp);
  return true;
}

bool predicate_logic(RunCompiler& c) {
  const MicroOp& op = c.op();
  if (op.instruction->a.kind != isa::Source::Kind::none) return false;
  c.set_by_tables({op.pp, op.pq, op.pr},
                  {static_cast<std::uint8_t>(op.param[0]), static_cast<std::uint8_t>(op.param[1])});
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
