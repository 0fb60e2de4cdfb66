#include "simulator/native/run_compiler.hpp"

#include <algorithm>
#include <cstddef>

#include "simulator/native/registers.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

}  // namespace

// Counted down from ~offset in the pool.
RowOffset RunCompiler::row_behind(RowOffset row, unsigned next) {
  const auto words = static_cast<RowOffset>(next * kWarpSize);
  return row >= 0 ? row + words : ~(~row + words);
}

bool RunCompiler::is_uniform_row(RowOffset row) {
  return row >= static_cast<RowOffset>(kUniformRow * kWarpSize);
}

RunCompiler::RunCompiler(VectorUnit unit, std::span<const RunOp> run, const KnownWord& known,
                         bool full, bool calls, std::uint8_t* memory)
    : VectorCode(unit, kMostBytes, memory), known_(known), full_(full), calls_(calls) {
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

RunCompiler::RunCompiler(VectorUnit unit, const KnownWord& known, bool full, std::uint8_t* memory,
                         std::size_t bytes)
    : VectorCode(unit, bytes, memory),
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
  if (full_ || !is_wide()) return;
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

bool RunCompiler::translate_by_family() {
  return translate_copy(*this) || translate_integer(*this) || translate_products(*this) ||
         translate_bits(*this) || translate_comparisons(*this) || translate_float32(*this) ||
         translate_float64(*this) || translate_moves(*this);
}

void RunCompiler::translate(const RunOp& each) {
  if (!is_wide()) {
    if (join_stretch(each)) return;
    flush();
    if (join_stretch(each)) return;
  }
  op_ = each.op;
  ++now_;
  guarded_ = is_guarded(*op_);
  if (guarded_) load_guard(each);
  // What is discarded lies in a row of which two registers would have to be kept.
  const bool keeps_discarded = guarded_ && is_uniform() && !is_uniform_row(op_->d);
  if (is_wide() && !keeps_discarded && translate_by_family()) {
    finish_destinations();
  } else if (calls_) {
    call(each);
  } else {
    complete_ = false;
  }
}

void RunCompiler::load_guard(const RunOp& each) {
  load_predicate(eax, op_->guard);
  if (is_wide()) {
    kmovd(k3, eax);
    if (!is_uniform()) kshiftrd(k4, k3, 16);
  }
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

Xbyak::Address RunCompiler::at(RowOffset row, unsigned part) const {
  const std::size_t bytes = 4 * static_cast<std::size_t>(row >= 0 ? row : ~row);
  if (is_wide()) return ptr[(row >= 0 ? rows_ : pool_) + bytes + 64 * part];
  if (in_parts_ && !all_equal(row)) return row_of_part(bytes);
  return ptr[(row >= 0 ? rows_ : pool_) + bytes + 32 * part];
}

RunCompiler::Row RunCompiler::new_row(unsigned registers) {
  Row row;
  row.is_wide = is_wide();
  for (unsigned i = 0; i < registers; ++i) row.index[i] = take_register();
  if (registers == 1) row.index[1] = row.index[0];
  return row;
}

void RunCompiler::load(const Row& row, RowOffset from) {
  for (unsigned part = 0; part < (row.index[0] == row.index[1] ? 1 : 2); ++part)
    is_wide() ? vmovdqu32(row[part], at(from, part)) : vmovdqu(row[part], at(from, part));
}

RunCompiler::Row RunCompiler::source(RowOffset first, unsigned next) {
  const RowOffset row = row_behind(first, next);
  if (const auto found = values_.find(row); found != values_.end()) {
    found->second.last_use = now_;
    return found->second.row;
  }
  Value value;
  value.last_use = now_;
  value.row = new_row(is_wide() && !all_equal(row) ? 2 : 1);
  load(value.row, row);
  return values_.emplace(row, value).first->second.row;
}

RunCompiler::Row RunCompiler::destination(unsigned next) {
  const Row row = new_row(parts());
  destinations_.emplace(row_behind(op_->d, next), row);
  return row;
}

void RunCompiler::give_back(const Row& row) {
  for (const int index : row.index) used_[static_cast<std::size_t>(index)] = false;
}

void RunCompiler::finish_destinations() {
  for (const auto& [row, computed] : destinations_) {
    if (guarded_) {
      const Row old = source(row);
      for (unsigned part = 0; part < parts(); ++part)
        choose(computed[part], old[part], computed[part],
               is_wide() ? Truth{part == 0 ? 3 : 4} : guard_);
    }
    if (const auto old = values_.find(row); old != values_.end()) {
      give_back(old->second.row);
      values_.erase(old);
    }
    values_.emplace(row, Value{computed, true, now_});
  }
  destinations_.clear();
}

// From the upper half down where there is one: it needs no vzeroupper.
bool RunCompiler::take_free_register(int& index) {
  for (index = (is_wide() ? kRegisters : kRegisters / 2) - 1; index >= 0; --index) {
    if (used_[static_cast<std::size_t>(index)]) continue;
    if (index >= kFirstScratch && index < kFirstScratch + kScratch) continue;
    used_[static_cast<std::size_t>(index)] = true;
    used_low_ = used_low_ || index < 16;
    return true;
  }
  return false;
}

int RunCompiler::take_register() {
  int index = 0;
  if (take_free_register(index)) return index;
  evict_one();
  if (take_free_register(index)) return index;
  complete_ = false;
  return 0;
}

void RunCompiler::evict_one() {
  const auto by_use = [](const auto& each) { return each.second.last_use; };
  const auto oldest = std::ranges::min_element(values_, {}, by_use);
  const auto held = std::ranges::min_element(held_, {}, by_use);
  const unsigned row_use = oldest == values_.end() ? now_ : oldest->second.last_use;
  if (held != held_.end() && held->second.last_use < row_use) {
    store_held(held->first, held->second);
    used_[static_cast<std::size_t>(held->second.index)] = false;
    held_.erase(held);
    return;
  }
  if (row_use == now_) return;
  store(oldest->first, oldest->second);
  give_back(oldest->second.row);
  values_.erase(oldest);
}

void RunCompiler::store(RowOffset row, const Value& value) {
  if (!value.dirty) return;
  if (!is_wide()) return store_part(row, value);
  // Uniform instructions write whole rows.
  const bool whole = full_ || value.row.index[0] == value.row.index[1];
  for (unsigned half = 0; half < 2; ++half) {
    if (whole) {
      vmovdqu32(at(row, half), value.row[half]);
    } else {
      vmovdqu32(at(row, half) | (half == 0 ? k1 : k2), value.row[half]);
    }
  }
}

void RunCompiler::flush() {
  if (!is_wide()) return end_stretch();
  for (const auto& [row, value] : values_) store(row, value);
  values_.clear();
  used_.fill(false);
}

Vector RunCompiler::scratch(unsigned i) {
  if (is_wide()) return vector(kFirstScratch + static_cast<int>(i));
  if (scratch_[i] < 0) scratch_[i] = take_register();
  return vector(scratch_[i]);
}

}  // namespace heddle::simulator::native
