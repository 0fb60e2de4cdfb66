// What instructions read of predicates and write to them: for AVX-512 as bits of all lanes, for
// AVX2 as masks of words that registers hold.
#include <cstddef>

#include "simulator/native/registers.hpp"
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

bool is_neutral(Combination how, PredicateRef with) {
  return how == Combination::both ? is_true(with) : is_false(with);
}

}  // namespace

Truth RunCompiler::lanes(unsigned part) {
  if (is_wide()) return {part == 0 ? 6 : 7};
  return {scratch(kLanesScratch).getIdx()};
}

Truth RunCompiler::other_lanes() { return {is_wide() ? 5 : scratch(kOtherScratch).getIdx()}; }

Truth RunCompiler::predicate(PredicateRef read, unsigned part) {
  return is_wide() ? load_mask(read, part, 5) : hold(read);
}
Truth RunCompiler::predicate_beside(PredicateRef read, unsigned part) {
  return is_wide() ? load_mask(read, part, 0) : hold(read);
}

Xbyak::Address RunCompiler::at_predicate(unsigned index) const {
  return dword[warp_ + offsetof(WarpState, predicates) + 4 * index];
}

void RunCompiler::load_predicate(const Xbyak::Reg32& to, PredicateRef read) {
  mov(to, at_predicate(read.index));
  if (read.invert.any()) not_(to);
}

Truth RunCompiler::load_mask(PredicateRef read, unsigned part, int mask) {
  const Xbyak::Opmask k(mask);
  kmovd(k, at_predicate(read.index));
  if (read.invert.any()) knotd(k, k);
  if (part == 1) kshiftrd(k, k, 16);
  return {mask};
}

void RunCompiler::gather(const Xbyak::Reg32& to) {
  if (is_uniform()) {  // all bits alike
    kmovw(to, k6);
    movsx(to, Xbyak::Reg16(to.getIdx()));
    return;
  }
  kunpckwd(k6, k7, k6);
  kmovd(to, k6);
}

void RunCompiler::set_bits(std::uint8_t index, const Xbyak::Reg32& value) {
  if (index == kDiscardedPredicate) return;
  const auto place = at_predicate(index);
  if (guarded_ || (!full_ && !is_uniform())) {
    mov(r10d, place);
    xor_(value, r10d);
    and_(value, guarded_ ? kOn : active_);
    xor_(value, r10d);
  }
  mov(place, value);
}

void RunCompiler::combine(Truth to, Combination how, Truth with) {
  switch (how) {
    case Combination::both:
      return truth_and(to, to, with);
    case Combination::either:
      return truth_or(to, to, with);
    case Combination::differ:
      return vpxor(vector(to), vector(to), vector(with));
  }
}
void RunCompiler::combine(const Xbyak::Reg32& to, Combination how, const Xbyak::Reg32& with) {
  switch (how) {
    case Combination::both:
      return and_(to, with);
    case Combination::either:
      return or_(to, with);
    case Combination::differ:
      return xor_(to, with);
  }
}

void RunCompiler::set_predicate(std::uint8_t index, Combination how, PredicateRef with) {
  if (index == kDiscardedPredicate) return;
  if (!is_wide()) {
    if (!is_neutral(how, with)) combine(lanes(0), how, hold(with));
    return write_held(index, lanes(0));
  }
  gather(eax);
  if (!is_neutral(how, with)) {
    load_predicate(ecx, with);
    combine(eax, how, ecx);
  }
  set_bits(index, eax);
}

void RunCompiler::set_compared() {
  const auto how = static_cast<Combination>(op_->param[0]);
  const bool combines = how != Combination::both || !is_true(op_->pp);
  if (!is_wide()) {
    // Both before one is written, which may be Pp.
    const Truth value = lanes(0);
    Truth complement;
    if (op_->pv != kDiscardedPredicate) {
      complement.index = scratch(0).getIdx();
      invert(vector(complement), vector(value));
      if (combines) combine(complement, how, hold(op_->pp));
    }
    if (combines) combine(value, how, hold(op_->pp));
    write_held(op_->pu, value);
    write_held(op_->pv, complement);
    return;
  }
  if (combines) load_predicate(ecx, op_->pp);  // before Pu is written, which may be the same
  const auto set = [&](std::uint8_t index, bool complement) {
    if (index == kDiscardedPredicate) return;
    gather(eax);
    if (complement) not_(eax);
    if (combines) combine(eax, how, ecx);
    set_bits(index, eax);
  };
  set(op_->pu, false);
  set(op_->pv, true);
}

void RunCompiler::set_by_tables(const std::array<PredicateRef, 3>& read,
                                const std::array<std::uint8_t, 2>& tables) {
  const std::array<std::uint8_t, 2> written{op_->pu, op_->pv};
  std::array<Vector, 3> sources;
  for (unsigned i = 0; i < 3; ++i) {
    if (!is_wide()) {
      sources[i] = vector(hold(read[i]));
      continue;
    }
    // All lanes are one word's bits.
    sources[i] = Xbyak::Xmm(scratch(i).getIdx());
    load_predicate(eax, read[i]);
    vmovd(sources[i], eax);
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (written[i] == kDiscardedPredicate) continue;
    const Vector to = is_wide() ? Xbyak::Xmm(scratch(3).getIdx()) : scratch(i);
    logic(to, sources[0], sources[1], sources[2], tables[i]);
    if (!is_wide()) continue;
    vmovd(eax, to);
    set_bits(written[i], eax);
  }
  if (is_wide()) return;
  for (unsigned i = 0; i < 2; ++i)
    if (written[i] != kDiscardedPredicate) write_held(written[i], {scratch(i).getIdx()});
}

}  // namespace heddle::simulator::native
