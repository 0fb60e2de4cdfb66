#include "simulator/native/vector_code.hpp"

#include <array>

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

constexpr std::uint32_t kOnes = ~0u;
constexpr unsigned kLanes = 8;  // of a vector of AVX2

// How a table of three sources is computed by two at a time: for each table the last step of the
// shortest way, of which the tables it starts from are shorter ones.
struct Formula {
  enum class Step : std::uint8_t { none, source, ones, both, either, differ, only_right };
  Step step = Step::none;
  std::uint8_t left = 0, right = 0;
  std::uint8_t cost = 0;
};
constexpr std::array<std::uint8_t, 3> kSources{0xf0, 0xcc, 0xaa};

std::array<Formula, 256> find_formulas() {
  using Step = Formula::Step;
  std::array<Formula, 256> found{};
  for (const std::uint8_t source : kSources) found[source].step = Step::source;
  found[0xff].step = Step::ones;
  const auto offer = [&](unsigned table, Formula formula) {
    if (found[table].step == Step::none) found[table] = formula;
  };
  for (std::uint8_t cost = 1; cost < 8; ++cost)
    for (unsigned i = 0; i < 256; ++i)
      for (unsigned j = 0; j < 256; ++j) {
        const Formula &left = found[i], &right = found[j];
        if (left.step == Step::none || right.step == Step::none) continue;
        if (left.step == Step::ones || left.cost + right.cost + 1 != cost) continue;
        const auto l = static_cast<std::uint8_t>(i), r = static_cast<std::uint8_t>(j);
        offer(l ^ r, {Step::differ, l, r, cost});
        if (right.step == Step::ones) continue;
        offer(l & r, {Step::both, l, r, cost});
        offer(l | r, {Step::either, l, r, cost});
        offer(~l & r & 0xffu, {Step::only_right, l, r, cost});
      }
  return found;
}

const Formula& formula_of(std::uint8_t table) {
  static const std::array<Formula, 256> formulas = find_formulas();
  return formulas[table];
}

}  // namespace

void VectorCode::clear(const Vector& to) { is_wide() ? vpxord(to, to, to) : vpxor(to, to, to); }

void VectorCode::copy(const Vector& to, const Vector& from) {
  is_wide() ? vmovdqa32(to, from) : vmovdqa(to, from);
}

void VectorCode::invert(const Vector& to, const Vector& from) {
  is_wide() ? vpternlogd(to, from, from, 0x55) : vpxor(to, from, constant(kOnes));
}

void VectorCode::bits_and(const Vector& to, const Vector& from, std::uint32_t value) {
  is_wide() ? vpandd(to, from, constant(value)) : vpand(to, from, constant(value));
}
void VectorCode::bits_xor(const Vector& to, const Vector& from, std::uint32_t value) {
  is_wide() ? vpxord(to, from, constant(value)) : vpxor(to, from, constant(value));
}
void VectorCode::bits_and_64(const Vector& to, const Vector& from, std::uint64_t words) {
  is_wide() ? vpandq(to, from, constant_of_64(words)) : vpand(to, from, constant_of_64(words));
}
void VectorCode::bits_or_64(const Vector& to, const Vector& from, std::uint64_t words) {
  is_wide() ? vporq(to, from, constant_of_64(words)) : vpor(to, from, constant_of_64(words));
}
void VectorCode::bits_xor_64(const Vector& to, const Vector& from, std::uint64_t words) {
  is_wide() ? vpxorq(to, from, constant_of_64(words)) : vpxor(to, from, constant_of_64(words));
}

void VectorCode::logic(const Vector& to, const Vector& a, const Vector& b, const Vector& c,
                       std::uint8_t table) {
  if (is_wide()) {
    vmovdqa32(to, a);
    vpternlogd(to, b, c, table);
  } else {
    logic_by_steps(to, {&a, &b, &c}, table, kForSteps);
  }
}

void VectorCode::logic_by_steps(const Vector& to, const Vector* const (&sources)[3],
                                std::uint8_t table, unsigned next_scratch) {
  using Step = Formula::Step;
  const Formula& formula = formula_of(table);
  const auto source = [&](std::uint8_t of) -> const Vector& {
    return *sources[of == kSources[0] ? 0 : of == kSources[1] ? 1 : 2];
  };
  if (formula.step == Step::source) return copy(to, source(table));
  if (formula.step == Step::ones) return vpcmpeqd(to, to, to);
  // The longer side first, for which `to` is free.
  const Formula &left = formula_of(formula.left), &right = formula_of(formula.right);
  Vector registers[2] = {to, to};
  bool to_is_free = true;
  const auto compute = [&](unsigned side) {
    const std::uint8_t of = side == 0 ? formula.left : formula.right;
    const Formula& needed = side == 0 ? left : right;
    if (needed.step == Step::ones) return;
    if (needed.step == Step::source) {
      registers[side] = source(of);
      return;
    }
    if (!to_is_free) registers[side] = scratch(next_scratch++);
    logic_by_steps(registers[side], sources, of, next_scratch);
    to_is_free = false;
  };
  const unsigned longer = left.cost >= right.cost ? 0 : 1;
  compute(longer);
  compute(1 - longer);
  if (right.step == Step::ones) return vpxor(to, registers[0], constant(kOnes));
  switch (formula.step) {
    case Step::both:
      return vpand(to, registers[0], registers[1]);
    case Step::either:
      return vpor(to, registers[0], registers[1]);
    case Step::differ:
      return vpxor(to, registers[0], registers[1]);
    default:
      return vpandn(to, registers[0], registers[1]);
  }
}

void VectorCode::pair_left(const Vector& to, const Vector& high, const Vector& low,
                           std::uint8_t by) {
  if (is_wide()) return vpshldd(to, high, low, by);
  if (by == 0) return copy(to, high);
  vpslld(to, high, by);
  vpsrld(scratch(kForSteps), low, static_cast<std::uint8_t>(32 - by));
  vpor(to, to, scratch(kForSteps));
}

void VectorCode::pair_right(const Vector& to, const Vector& high, const Vector& low,
                            std::uint8_t by) {
  if (is_wide()) return vpshrdd(to, low, high, by);
  if (by == 0) return copy(to, low);
  pair_left(to, high, low, static_cast<std::uint8_t>(32 - by));
}

void VectorCode::add_word(const Vector& to, const Vector& from, std::uint32_t value) {
  vpaddd(to, from, constant(value));
}

void VectorCode::begin_blend() {
  if (!is_wide()) return;
  mov(eax, 0xaaaa);
  kmovw(k5, eax);
}

void VectorCode::blend_odd(const Vector& to, const Vector& even, const Vector& odd) {
  is_wide() ? vpblendmd(to | k5, even, odd) : vpblendd(to, even, odd, 0xaa);
}

void VectorCode::compare(Truth to, const Vector& a, const Vector& b, Comparison how,
                         bool is_signed) {
  if (is_wide()) {
    const auto number = static_cast<std::uint8_t>(how);
    is_signed ? vpcmpd(mask(to), a, b, number) : vpcmpud(mask(to), a, b, number);
    return;
  }
  const Vector result = vector(to);
  bool inverts = false;
  switch (how) {
    case Comparison::never:
      return vpxor(result, result, result);
    case Comparison::always:
      return vpcmpeqd(result, result, result);
    case Comparison::eq:
    case Comparison::ne:
      vpcmpeqd(result, a, b);
      inverts = how == Comparison::ne;
      break;
    case Comparison::lt:
    case Comparison::ge:
      // Without signs: not less where a is the greater one.
      if (is_signed) {
        vpcmpgtd(result, b, a);
      } else {
        vpmaxud(result, a, b);
        vpcmpeqd(result, result, a);
      }
      inverts = (how == Comparison::ge) == is_signed;
      break;
    case Comparison::gt:
    case Comparison::le:
      if (is_signed) {
        vpcmpgtd(result, a, b);
      } else {
        vpminud(result, a, b);
        vpcmpeqd(result, result, a);
      }
      inverts = (how == Comparison::le) == is_signed;
      break;
  }
  if (inverts) invert(result, result);
}

void VectorCode::compare(Truth to, const Vector& a, std::uint32_t value, Comparison how) {
  if (is_wide()) return vpcmpud(mask(to), a, constant(value), static_cast<std::uint8_t>(how));
  const Vector other = scratch(kForSteps);
  vmovdqu(other, constant(value));
  compare(to, a, other, how, false);
}

void VectorCode::compare_floats(Truth to, const Vector& a, const Vector& b, std::uint8_t how) {
  is_wide() ? vcmpps(mask(to), a, b, how) : vcmpps(vector(to), a, b, how);
}
void VectorCode::compare_doubles(Truth to, const Vector& a, const Vector& b, std::uint8_t how) {
  is_wide() ? vcmppd(mask(to), a, b, how) : vcmppd(vector(to), a, b, how);
}

void VectorCode::is_not_zero(Truth to, const Vector& value) {
  if (is_wide()) return vptestmd(mask(to), value, value);
  const Vector result = vector(to);
  vpxor(result, result, result);
  vpcmpeqd(result, result, value);
  invert(result, result);
}

void VectorCode::is_zero_where(Truth to, const Vector& value, Truth where) {
  if (is_wide()) return vptestnmd(mask(to) | mask(where), value, value);
  const Vector result = scratch(kForSteps);
  vpxor(result, result, result);
  vpcmpeqd(result, result, value);
  vpand(vector(to), result, vector(where));
}

void VectorCode::is_nan_where(Truth to, const Vector& doubles, Truth where) {
  constexpr std::uint8_t kUnordered = 3;
  if (is_wide()) return vcmppd(mask(to) | mask(where), doubles, doubles, kUnordered);
  vcmppd(vector(to), doubles, doubles, kUnordered);
  vpand(vector(to), vector(to), vector(where));
}

void VectorCode::truth_and(Truth to, Truth a, Truth b) {
  is_wide() ? kandw(mask(to), mask(a), mask(b)) : vpand(vector(to), vector(a), vector(b));
}
void VectorCode::truth_or(Truth to, Truth a, Truth b) {
  is_wide() ? korw(mask(to), mask(a), mask(b)) : vpor(vector(to), vector(a), vector(b));
}
void VectorCode::truth_and_not(Truth to, Truth inverted, Truth b) {
  is_wide() ? kandnw(mask(to), mask(inverted), mask(b))
            : vpandn(vector(to), vector(inverted), vector(b));
}

void VectorCode::jump_if_none(Truth truth, const Xbyak::Label& to) {
  is_wide() ? kortestw(mask(truth), mask(truth)) : vptest(vector(truth), vector(truth));
  jz(to, T_NEAR);
}

void VectorCode::choose(const Vector& to, const Vector& if_not, const Vector& if_so, Truth truth) {
  is_wide() ? vpblendmd(to | mask(truth), if_not, if_so)
            : vblendvps(to, if_not, if_so, vector(truth));
}

void VectorCode::replace(const Vector& to, Truth where, std::uint32_t value) {
  is_wide() ? vpbroadcastd(to | mask(where), dword[rip + constants_[value]])
            : vblendvps(to, to, constant(value), vector(where));
}
void VectorCode::replace_64(const Vector& to, Truth where, std::uint64_t words) {
  is_wide() ? vpbroadcastq(to | mask(where), qword[rip + constants_of_64_[words]])
            : vblendvpd(to, to, constant_of_64(words), vector(where));
}

void VectorCode::or_where_64(const Vector& to, Truth where, const Vector& from,
                             std::uint64_t words) {
  if (is_wide()) return vporq(to | mask(where), from, constant_of_64(words));
  vpor(from, from, constant_of_64(words));
  vblendvpd(to, to, from, vector(where));
}

void VectorCode::add_one_where(const Vector& to, Truth where) {
  is_wide() ? vpaddd(to | mask(where), to, constant(1)) : vpsubd(to, to, vector(where));
}

Xbyak::Address VectorCode::at(Xbyak::Label& label) const {
  if (probing_) return ptr[rip + 0];
  return is_wide() ? ptr_b[rip + label] : ptr[rip + label];
}

Xbyak::Address VectorCode::constant(std::uint32_t value) { return at(constants_[value]); }
Xbyak::Address VectorCode::constant_of_64(std::uint64_t words) {
  return at(constants_of_64_[words]);
}

Xbyak::Address VectorCode::bits_of_lanes() {
  has_bits_of_lanes_ = true;
  return at(bits_of_lanes_);
}

void VectorCode::write_constants() {
  for (auto& [value, label] : constants_) {
    L(label);
    for (unsigned i = 0; i < (is_wide() ? 1 : kLanes); ++i) dd(value);
  }
  for (auto& [words, label] : constants_of_64_) {
    L(label);
    for (unsigned i = 0; i < (is_wide() ? 1 : kLanes / 2); ++i) dq(words);
  }
  if (!has_bits_of_lanes_) return;
  L(bits_of_lanes_);
  for (unsigned lane = 0; lane < kLanes; ++lane) dd(1u << lane);
}

}  // namespace heddle::simulator::native
