// Code of AVX2: a stretch is instructions one after the other that are all translated. First comes
// what its uniform instructions do, then what the others do to eight lanes at a time.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

constexpr unsigned kParts = 4;
constexpr int kPartBytes = 32;
const Xbyak::Reg64 kPartRows = r11, kPart = rcx;
constexpr int kOff = 15;  // of a warp some lanes of which are off: the register that says which
// Behind the stack pointer, in what functions may use that call none: the active lanes, and those
// of guards.
constexpr int kActiveAt = -4, kSlotsAt = -8, kSlots = 30;

}  // namespace

// Of the part that the code is at: bytes of a predicate, or of what lies behind the stack pointer;
// words of a row.
Xbyak::Address RunCompiler::byte_of_part(const Xbyak::Reg64& base, int offset) const {
  return part_ == kAnyPart ? byte[base + kPart + offset] : byte[base + (offset + part_)];
}
Xbyak::Address RunCompiler::row_of_part(std::size_t bytes) const {
  return part_ == kAnyPart ? ptr[kPartRows + bytes]
                           : ptr[rows_ + bytes + kPartBytes * static_cast<unsigned>(part_)];
}

// Whether uniform instructions may execute before it, and it after them.
bool RunCompiler::fits_stretch(const RunOp& each) const {
  const MicroOp& op = *each.op;
  const bool uniform = op.instruction->guard.uniform;
  const auto misplaced = [&](std::uint8_t written) {
    return written != kDiscardedPredicate && (written >= kUniformPredicates) != uniform;
  };
  if (misplaced(op.pu) || misplaced(op.pv)) return false;
  if (!uniform) return !is_uniform_row(op.d);
  const auto reads = [&](const MicroOp& earlier) {
    constexpr RowOffset kWidest = 4 * kWarpSize;
    const auto is_near = [&](RowOffset row) {
      return is_uniform_row(row) && row > op.d - kWidest && row < op.d + kWidest;
    };
    const auto is_written = [&](PredicateRef read) {
      return read.index == op.pu || read.index == op.pv;
    };
    return is_near(earlier.a) || is_near(earlier.b) || is_near(earlier.c) ||
           is_written(earlier.guard) || is_written(earlier.pp) || is_written(earlier.pq) ||
           is_written(earlier.pr);
  };
  return std::ranges::none_of(stretch_, [&](const RunOp& earlier) { return reads(*earlier.op); });
}

bool RunCompiler::join_stretch(const RunOp& each) {
  if (!fits_stretch(each) || stretch_guards_ == kSlots || !probe(each)) return false;
  if (each.op->instruction->guard.uniform) {
    translate_part(each, {});
  } else {
    stretch_.push_back(each);
    stretch_guards_ += is_guarded(*each.op);
  }
  return true;
}

// Whether it can be translated: as the first of a stretch, of which nothing stays.
bool RunCompiler::probe(const RunOp& each) {
  const std::size_t size = getSize();
  const auto values = std::exchange(values_, {});
  const auto held = std::exchange(held_, {});
  const auto used = std::exchange(used_, {});
  const bool used_low = used_low_;
  const bool complete = std::exchange(complete_, true);
  probing_ = true;
  in_parts_ = !each.op->instruction->guard.uniform;
  used_[kOff] = in_parts_ && !full_;
  const bool translated = translate_part(each, {}) && complete_;
  in_parts_ = probing_ = false;
  complete_ = complete;
  setSize(size);
  values_ = values;
  held_ = held;
  used_ = used;
  used_low_ = used_low;
  return translated;
}

// `from_here`: it and those behind it in the stretch, where it is by parts.
bool RunCompiler::translate_part(const RunOp& each, std::span<const RunOp> from_here) {
  op_ = each.op;
  ++now_;
  guarded_ = is_guarded(*op_);
  if (guarded_) {
    guard_ = hold(op_->guard);
    if (!from_here.empty()) count_guard(from_here);
    if (!in_parts_) count_uniform_guard(each);
  }
  const bool translated = translate_by_family();
  if (translated) {
    // The sources may make room now for what is kept of the destinations.
    ++now_;
    release_scratch();
    for (auto& [key, held] : held_)
      if (held.index == guard_.index) held.last_use = now_;
    finish_destinations();
  }
  release_scratch();
  for (const int index : released_) used_[static_cast<std::size_t>(index)] = false;
  released_.clear();
  return translated;
}

void RunCompiler::release_scratch() {
  for (int& index : scratch_) {
    if (index >= 0) used_[static_cast<std::size_t>(index)] = false;
    index = -1;
  }
}

void RunCompiler::end_stretch() {
  const MicroOp* const op = op_;
  const bool guarded = guarded_;
  store_all();
  if (!stretch_.empty()) {
    if (!full_) mov(dword[rsp + kActiveAt], active_);
    in_parts_ = true;
    make_parts();
    in_parts_ = false;
    count_guards();
    stretch_.clear();
    stretch_guards_ = 0;
  }
  op_ = op;
  guarded_ = guarded;
}

// A short stretch four times, a longer one as a loop.
void RunCompiler::make_parts() {
  constexpr std::size_t kShort = 4;
  if (stretch_.size() <= kShort) {
    for (part_ = 0; part_ < static_cast<int>(kParts); ++part_) make_part();
    part_ = kAnyPart;
    return;
  }
  Xbyak::Label next;
  mov(kPartRows, rows_);
  xor_(kPart.cvt32(), kPart.cvt32());
  L(next);
  make_part();
  add(kPartRows, kPartBytes);
  inc(kPart.cvt32());
  cmp(kPart.cvt32(), kParts);
  jb(next, T_NEAR);
}

void RunCompiler::make_part() {
  guard_slots_.clear();
  slots_ = 0;
  Xbyak::Label behind;
  if (!full_) {
    const Vector off = vector(kOff);
    cmp(byte_of_part(rsp, kActiveAt), 0);
    je(behind, T_NEAR);
    vpbroadcastb(off, byte_of_part(rsp, kActiveAt));
    vpandn(off, off, bits_of_lanes());
    vpcmpeqd(off, off, bits_of_lanes());
    used_[kOff] = true;
  }
  for (std::size_t i = 0; i < stretch_.size(); ++i)
    translate_part(stretch_[i], std::span(stretch_).subspan(i));
  store_all();
  L(behind);
}

// The threads that a guard takes off are counted behind the stretch. Where the predicate will be
// another then, the lanes that are on are put aside.
void RunCompiler::count_guard(std::span<const RunOp> from_here) {
  const PredicateRef guard = op_->guard;
  const bool changes = std::ranges::any_of(from_here, [&](const RunOp& each) {
    return each.op->pu == guard.index || each.op->pv == guard.index;
  });
  GuardCount count{{}, guard, from_here.front().threads_on};
  if (changes) {
    const auto [slot, is_new] = guard_slots_.try_emplace(key_of(guard), slots_);
    if (is_new) {
      vmovmskps(eax, Xbyak::Ymm(guard_.index));
      mov(byte_of_part(rsp, kSlotsAt - 4 * static_cast<int>(slots_++)), al);
    }
    count.slot = slot->second;
  }
  if (part_ <= 0) guard_counts_.push_back(count);
}

void RunCompiler::count_guards() {
  const GuardCount* last = nullptr;
  for (const GuardCount& each : guard_counts_) {
    const bool is_as_last =
        last != nullptr && last->slot == each.slot && key_of(last->guard) == key_of(each.guard);
    if (!is_as_last && each.slot)
      mov(eax, dword[rsp + kSlotsAt - 4 * static_cast<int>(*each.slot)]);
    else if (!is_as_last)
      load_predicate(eax, each.guard);
    if (!is_as_last) count_off();
    if (last == nullptr || last->place.page != each.place.page)
      mov(r10, ptr[counted_ + 8 * each.place.page]);
    sub(qword[r10 + each.place.offset], rax);
    last = &each;
  }
  guard_counts_.clear();
}

// Of lanes that are on, how many active ones are off.
void RunCompiler::count_off() {
  full_ ? not_(eax) : andn(eax, eax, active_);
  popcnt(eax, eax);
}

void RunCompiler::count_uniform_guard(const RunOp& each) {
  vmovd(eax, Xbyak::Xmm(guard_.index));
  count_off();
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  sub(qword[r10 + each.threads_on.offset], rax);
}

void RunCompiler::store_part(RowOffset row, const Value& value) {
  const Vector words = value.row[0];
  if (!in_parts_) {
    for (unsigned part = 0; part < kParts; ++part) vmovdqu(at(row, part), words);
    return;
  }
  if (row >= static_cast<RowOffset>(kDiscardRow * kWarpSize)) return;
  if (!full_) vblendvps(words, words, at(row, 0), vector(kOff));
  vmovdqu(at(row, 0), words);
}

unsigned RunCompiler::key_of(PredicateRef read) {
  return 2u * read.index + (read.invert.any() ? 1 : 0);
}

Truth RunCompiler::hold(PredicateRef read) {
  const unsigned key = key_of(read);
  if (const auto found = held_.find(key); found != held_.end()) {
    found->second.last_use = now_;
    return {found->second.index};
  }
  const int index = take_register();
  const Vector lanes = vector(index);
  const bool inverts = read.invert.any();
  // Unless it has just made room.
  if (const auto other = held_.find(key ^ 1); other != held_.end()) {
    invert(lanes, vector(other->second.index));
  } else if (read.index >= kUniformPredicates || !in_parts_) {
    vpbroadcastd(lanes, at_predicate(read.index));
    if (inverts) invert(lanes, lanes);
  } else {
    vpbroadcastb(lanes, predicate_of_part(read.index));
    inverts ? vpandn(lanes, lanes, bits_of_lanes()) : vpand(lanes, lanes, bits_of_lanes());
    vpcmpeqd(lanes, lanes, bits_of_lanes());
  }
  held_[key] = {index, false, now_};
  return {index};
}

Xbyak::Address RunCompiler::predicate_of_part(unsigned index) const {
  return byte_of_part(warp_,
                      static_cast<int>(offsetof(WarpState, predicates) + 4 * std::size_t{index}));
}

// `value`, of a scratch register, which becomes the predicate's.
void RunCompiler::write_held(std::uint8_t index, Truth value) {
  if (index == kDiscardedPredicate) return;
  *std::ranges::find(scratch_, value.index) = -1;
  const PredicateRef written{index, {}};
  if (guarded_) choose(vector(value), vector(hold(written)), vector(value), guard_);
  const unsigned key = key_of(written);
  for (const unsigned either : {key, key ^ 1}) {
    guard_slots_.erase(either);
    const auto old = held_.find(either);
    if (old == held_.end()) continue;
    released_.push_back(old->second.index);
    held_.erase(old);
  }
  held_[key] = {value.index, true, now_};
}

void RunCompiler::store_held(unsigned key, const Held& held) {
  if (!held.dirty) return;
  const Xbyak::Ymm lanes(held.index);
  if (!in_parts_) {
    vmovd(at_predicate(key / 2), Xbyak::Xmm(held.index));
    return;
  }
  const Xbyak::Address place = predicate_of_part(key / 2);
  vmovmskps(eax, lanes);
  if (!full_) {
    xor_(al, place);
    and_(al, byte_of_part(rsp, kActiveAt));
    xor_(place, al);
  } else {
    mov(place, al);
  }
}

void RunCompiler::store_all() {
  for (const auto& [row, value] : values_) store(row, value);
  for (const auto& [key, held] : held_) store_held(key, held);
  values_.clear();
  held_.clear();
  used_.fill(false);
}

}  // namespace heddle::simulator::native
