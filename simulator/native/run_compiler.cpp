#include "simulator/native/run_compiler.hpp"

#include <algorithm>
#include <cstddef>

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

constexpr bool is_uniform_row(RowOffset row) {
  return row >= static_cast<RowOffset>(kUniformRow * kWarpSize);
}

// Counted down from ~offset in the pool.
constexpr RowOffset row_behind(RowOffset row, unsigned next) {
  const auto words = static_cast<RowOffset>(next * kWarpSize);
  return row >= 0 ? row + words : ~(~row + words);
}

const Xbyak::Reg32 kOn = r11d;  // of a guarded instruction: the lanes that are on

}  // namespace

RunCompiler::RunCompiler(std::span<const RunOp> run, const KnownWord& known, bool full, bool calls,
                         std::uint8_t* memory)
    : CodeGenerator(kMostBytes, memory), known_(known), full_(full), calls_(calls) {
  warp_ = calls ? rbx : rdi;
  active_ = calls ? ebp : esi;
  counted_ = calls ? r12 : rdx;
  rows_ = calls ? r13 : r8;
  pool_ = calls ? r14 : r9;
  begin();
  for (const RunOp& each : run) {
    translate(each);
    if (!complete_) return;
  }
  end();
}

RunCompiler::RunCompiler(const KnownWord& known, bool full, std::uint8_t* memory, std::size_t bytes)
    : CodeGenerator(bytes, memory),
      known_(known),
      full_(full),
      calls_(true),
      warp_(rbx),
      rows_(r13),
      pool_(r14),
      counted_(r12),
      active_(ebp) {}

void RunCompiler::begin() {
  if (calls_) {
    for (const auto& saved : {rbx, rbp, r12, r13, r14}) push(saved);
    mov(warp_, rdi);
    mov(active_, esi);
    mov(counted_, rdx);
  }
  mov(rows_, ptr[warp_ + offsetof(WarpState, rows)]);
  mov(pool_, ptr[warp_ + offsetof(WarpState, pool)]);
  load_active();
}

void RunCompiler::load_active() {
  if (full_) return;
  kmovd(k1, active_);
  kshiftrd(k2, k1, 16);
}

void RunCompiler::end() {
  flush();
  if (used_low_) vzeroupper();
  if (calls_)
    for (const auto& saved : {r14, r13, r12, rbp, rbx}) pop(saved);
  ret();
  write_constants();
}

void RunCompiler::write_constants() {
  for (auto& [word, label] : constants_) {
    L(label);
    dd(word);
  }
  for (auto& [words, label] : constants_of_64_) {
    L(label);
    dq(words);
  }
}

void RunCompiler::translate(const RunOp& each) {
  op_ = each.op;
  ++now_;
  guarded_ = is_guarded(*op_);
  if (guarded_) load_guard(each);
  // What is discarded lies in a row of which two registers would have to be kept.
  const bool keeps_discarded = guarded_ && is_uniform() && !is_uniform_row(op_->d);
  const auto translated = [&] {
    return translate_copy(*this) || translate_integer(*this) || translate_products(*this) ||
           translate_bits(*this) || translate_comparisons(*this) || translate_float32(*this) ||
           translate_float64(*this) || translate_moves(*this);
  };
  if (!keeps_discarded && translated()) {
    finish_destinations();
  } else if (calls_) {
    call(each);
  } else {
    complete_ = false;
  }
}

void RunCompiler::load_guard(const RunOp& each) {
  load_predicate(eax, op_->guard);
  kmovd(k3, eax);
  if (!is_uniform()) kshiftrd(k4, k3, 16);
  if (full_) {
    mov(ecx, eax);
    not_(ecx);
  } else {
    andn(ecx, eax, active_);
  }
  popcnt(ecx, ecx);
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  sub(qword[r10 + each.threads_on.offset], rcx);
  mov(kOn, eax);
  if (!full_ && !is_uniform()) and_(kOn, active_);
}

void RunCompiler::call(const RunOp& each) {
  Xbyak::Label behind;
  flush();
  if (guarded_) {
    test(kOn, kOn);
    jz(behind, T_NEAR);
  }
  mov(rdi, warp_);
  mov(rsi, reinterpret_cast<std::uint64_t>(each.op));
  if (is_uniform() || (!guarded_ && full_)) {
    mov(edx, ~0u);
  } else {
    mov(edx, guarded_ ? kOn : active_);
  }
  if (used_low_) vzeroupper();
  mov(rax, reinterpret_cast<std::uint64_t>(each.op->lane));
  Xbyak::CodeGenerator::call(rax);
  load_active();
  L(behind);
}

bool RunCompiler::all_equal(RowOffset row) { return row < 0 || is_uniform_row(row); }

Xbyak::Address RunCompiler::at(RowOffset row, Half half) const {
  const std::size_t bytes = 4 * static_cast<std::size_t>(row >= 0 ? row : ~row) + 64 * half;
  return ptr[(row >= 0 ? rows_ : pool_) + bytes];
}

RunCompiler::Row RunCompiler::source(RowOffset first, unsigned next) {
  const RowOffset row = row_behind(first, next);
  if (const auto found = values_.find(row); found != values_.end()) {
    found->second.last_use = now_;
    return found->second.row;
  }
  Value value;
  value.last_use = now_;
  for (Half half = 0; half < (all_equal(row) ? 1 : 2); ++half) {
    value.row.index[half] = take_register();
    vmovdqu32(value.row[half], at(row, half));
  }
  if (all_equal(row)) value.row.index[1] = value.row.index[0];
  return values_.emplace(row, value).first->second.row;
}

RunCompiler::Row RunCompiler::destination(unsigned next) {
  Row row;
  for (Half half = 0; half < halves(); ++half) row.index[half] = take_register();
  if (is_uniform()) row.index[1] = row.index[0];
  destinations_.emplace(row_behind(op_->d, next), row);
  return row;
}

void RunCompiler::finish_destinations() {
  const auto give_back = [&](const Row& row) {
    for (const int index : row.index) used_[static_cast<std::size_t>(index)] = false;
  };
  for (const auto& [row, computed] : destinations_) {
    if (guarded_) {
      const Row old = source(row);
      for (Half half = 0; half < halves(); ++half)
        vpblendmd(computed[half] | (half == 0 ? k3 : k4), old[half], computed[half]);
    }
    if (const auto old = values_.find(row); old != values_.end()) {
      give_back(old->second.row);
      values_.erase(old);
    }
    values_.emplace(row, Value{computed, true, now_});
  }
  destinations_.clear();
}

int RunCompiler::take_register() {
  for (int pass = 0; pass < 2; ++pass) {
    // From the upper half down: it needs no vzeroupper.
    for (int i = kRegisters - 1; i >= 0; --i) {
      if (used_[static_cast<std::size_t>(i)]) continue;
      if (i >= kFirstScratch && i < kFirstScratch + kScratch) continue;
      used_[static_cast<std::size_t>(i)] = true;
      used_low_ = used_low_ || i < 16;
      return i;
    }
    evict_one();
  }
  throw Xbyak::Error(Xbyak::ERR_INTERNAL);
}

void RunCompiler::evict_one() {
  const auto oldest =
      std::ranges::min_element(values_, {}, [](const auto& each) { return each.second.last_use; });
  if (oldest == values_.end() || oldest->second.last_use == now_) return;
  store(oldest->first, oldest->second);
  for (const int index : oldest->second.row.index) used_[static_cast<std::size_t>(index)] = false;
  values_.erase(oldest);
}

void RunCompiler::store(RowOffset row, const Value& value) {
  if (!value.dirty) return;
  // Uniform instructions write whole rows.
  const bool whole = full_ || value.row.index[0] == value.row.index[1];
  for (Half half = 0; half < 2; ++half) {
    if (whole) {
      vmovdqu32(at(row, half), value.row[half]);
    } else {
      vmovdqu32(at(row, half) | (half == 0 ? k1 : k2), value.row[half]);
    }
  }
}

void RunCompiler::flush() {
  for (const auto& [row, value] : values_) store(row, value);
  values_.clear();
  used_.fill(false);
}

Xbyak::Address RunCompiler::constant(std::uint32_t word) { return ptr_b[rip + constants_[word]]; }
Xbyak::Address RunCompiler::constant_of_64(std::uint64_t words) {
  return ptr_b[rip + constants_of_64_[words]];
}
Xbyak::Address RunCompiler::word_of_64(std::uint64_t words) {
  return qword[rip + constants_of_64_[words]];
}
Xbyak::Address RunCompiler::word(std::uint32_t word) { return dword[rip + constants_[word]]; }

void RunCompiler::load_predicate(const Xbyak::Reg32& to, PredicateRef read) {
  mov(to, dword[warp_ + offsetof(WarpState, predicates) + 4 * read.index]);
  if (read.invert.any()) not_(to);
}

Xbyak::Opmask RunCompiler::predicate(PredicateRef read, Half half, int mask) {
  const Xbyak::Opmask k(mask);
  kmovd(k, dword[warp_ + offsetof(WarpState, predicates) + 4 * read.index]);
  if (read.invert.any()) knotd(k, k);
  if (half == 1) kshiftrd(k, k, 16);
  return k;
}

void RunCompiler::gather(const Xbyak::Reg32& to, const Xbyak::Opmask& low,
                         const Xbyak::Opmask& high) {
  if (is_uniform()) {  // all bits alike
    kmovw(to, low);
    movsx(to, Xbyak::Reg16(to.getIdx()));
    return;
  }
  kunpckwd(low, high, low);
  kmovd(to, low);
}

void RunCompiler::set_predicate(std::uint8_t index, const Xbyak::Reg32& value) {
  if (index == kDiscardedPredicate) return;
  const auto place = dword[warp_ + offsetof(WarpState, predicates) + 4 * index];
  if (guarded_ || (!full_ && !is_uniform())) {
    mov(r10d, place);
    xor_(value, r10d);
    and_(value, guarded_ ? kOn : active_);
    xor_(value, r10d);
  }
  mov(place, value);
}

void RunCompiler::set_compared() {
  const std::uint32_t combination = op_->param[0];
  const bool combines = combination != 0 || !is_true(op_->pp);
  if (combines) load_predicate(ecx, op_->pp);  // before Pu is written, which may be the same
  const auto set = [&](std::uint8_t index, bool complement) {
    if (index == kDiscardedPredicate) return;
    gather(eax, k6, k7);
    if (complement) not_(eax);
    if (combines)
      combination == 0 ? and_(eax, ecx) : combination == 1 ? or_(eax, ecx) : xor_(eax, ecx);
    set_predicate(index, eax);
  };
  set(op_->pu, false);
  set(op_->pv, true);
}

}  // namespace heddle::simulator::native
