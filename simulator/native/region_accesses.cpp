// Loads and stores of which all lanes access a row of memory, each one's piece behind the one
// before it, one place, or places that lie to one another as those of the last time: found,
// checked, counted and carried out as the machine does (simulator/execute/memory_access.cpp). Where
// an access is none of these, or is not known to be allowed, the machine executes it.
#include <cstddef>

#include "simulator/base/instruction_counts.hpp"
#include "simulator/lanes/addresses.hpp"
#include "simulator/native/region_compiler.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

const Xbyak::Reg64 kMachine = r15;
const Xbyak::Reg32 kOn = r11d;                  // as in run_compiler.cpp
const Xbyak::Reg64 kAddress = rax, kView = r8;  // of the first lane, and where that memory is
const Xbyak::Reg64 kPattern = rsi, kBytes = rdi, kLeast = r9;  // as of an AccessPattern

constexpr unsigned kHalf = kWarpSize / 2;
constexpr std::uint32_t kOwnPolicy = 1u << 28;  // simulator/execute/cache_policy.hpp

// Of lane `first` and those behind it: number * step.
constexpr std::array<std::uint32_t, 16> multiples(std::uint32_t first, std::uint32_t step) {
  std::array<std::uint32_t, 16> words{};
  for (std::uint32_t i = 0; i < 16; ++i) words[i] = (first + i) * step;
  return words;
}
// Every second word of two vectors, from `first` on.
constexpr std::array<std::uint32_t, 16> every_second(std::uint32_t first) {
  std::array<std::uint32_t, 16> words{};
  for (std::uint32_t i = 0; i < 16; ++i) words[i] = first + 2 * i;
  return words;
}
// The words of two vectors in turn, from word `first` of each on.
constexpr std::array<std::uint32_t, 16> in_turn(std::uint32_t first) {
  std::array<std::uint32_t, 16> words{};
  for (std::uint32_t i = 0; i < 16; ++i) words[i] = first + i / 2 + 16 * (i % 2);
  return words;
}

}  // namespace

// What lanes' addresses are made of, in vector registers.
struct RegionCompiler::Place {
  Row low, high, uniform, uniform_high, policy;
};

bool RegionCompiler::access_row(std::uint32_t index) {
  const RunOp& each = region_[index];
  const RowAccess& access = each.access;
  if (!full_ || access.width == 0) return false;
  op_ = each.op;
  ++now_;
  guarded_ = is_guarded(*op_);
  const bool is_same = access.base == RowAccess::Base::none || all_equal(op_->a);
  if (is_same && !access.loads) return false;
  // Whatever makes room for registers comes before the code may part.
  const Place place = read_place(access);
  const Data data = take_data(access);
  const Values before = values_;
  const bool used_low = used_low_;
  if (guarded_) load_guard(each);
  const auto slow = std::make_shared<Xbyak::Label>(), done = std::make_shared<Xbyak::Label>(),
             none = std::make_shared<Xbyak::Label>();
  leave_others(access, place, *slow, access.loads ? *none : *done);
  find_place(access, place, *slow);
  Xbyak::Label no_row, nor_same;
  if (!is_same) {
    find_row(each, place, no_row, *slow);
    // Rows that are wider are patterns.
    if (access.width <= (access.is_shared ? 4 : 8)) {
      find_memory(access, kWarpSize * access.width, *slow);
      if (!access.is_shared) note_row(access);
      count_row(each);
      access.loads ? load_row(access, data) : store_row(access, data);
      jmp(*done, T_NEAR);
    }
    L(no_row);
  }
  if (access.loads) {
    if (!is_same) find_same(access, place, nor_same);
    find_memory(access, access.width, *slow);
    count_same(each);
    load_same(access, data);
    if (!is_same) jmp(*done, T_NEAR);
    L(nor_same);
  }
  if (!is_same) {
    find_pattern(each, first_ + index, place, *slow);
    find_memory(access, 0, *slow);
    sub(kView, kLeast);
    count_pattern(each);
    access.loads ? load_pattern(access, data) : store_pattern(access, data);
  }
  if (guarded_ && access.loads) keep_rows(access, data, none, done);
  L(*done);
  if (access.loads) take_loaded(access, data);
  later([this, index, slow, done, before, used_low, after = values_, guarded = guarded_] {
    L(*slow);
    spill(before);
    if (used_low) vzeroupper();
    guarded_ = guarded;
    call_and_go_on(index, std::make_shared<Xbyak::Label>());
    reload(after);
    jmp(*done, T_NEAR);
  });
  return true;
}

RegionCompiler::Place RegionCompiler::read_place(const RowAccess& access) {
  using Base = RowAccess::Base;
  Place place;
  if (access.base != Base::none) place.low = source(op_->a);
  if (access.base == Base::pair) place.high = source(op_->a, 1);
  if (access.uniform != Base::none) place.uniform = source(access.uniform_row);
  if (access.uniform == Base::pair) place.uniform_high = source(access.uniform_row, 1);
  if (access.has_policy) place.policy = source(access.uniform_row, 1);
  return place;
}

// What is to be stored, or registers for what is loaded.
RegionCompiler::Data RegionCompiler::take_data(const RowAccess& access) {
  Data data;
  for (unsigned i = 0; i < access.width / 4u; ++i) {
    if (!access.loads) {
      data[i] = source(op_->b, i);
      continue;
    }
    for (Half half = 0; half < 2; ++half) data[i].index[half] = take_register();
  }
  return data;
}

void RegionCompiler::take_loaded(const RowAccess& access, const Data& data) {
  for (unsigned i = 0; i < access.width / 4u; ++i) {
    const RowOffset row = op_->d + static_cast<RowOffset>(i * kWarpSize);
    if (const auto old = values_.find(row); old != values_.end()) {
      for (const int index : old->second.row.index) used_[static_cast<std::size_t>(index)] = false;
      values_.erase(old);
    }
    values_.emplace(row, Value{data[i], true, now_});
  }
}

// Goes to `slow` where others are to know of the access, or its turn may end with it, or some lanes
// are off; to `none` where all are.
void RegionCompiler::leave_others(const RowAccess& access, const Place& place, Xbyak::Label& slow,
                                  Xbyak::Label& none) {
  const auto unless = [&](bool asked, std::size_t flag, bool is) {
    if (!asked) return;
    cmp(byte[kMachine + flag], is);
    je(slow, T_NEAR);
  };
  unless(access.gives_way_in_shared, offsetof(Machine, gives_way_in_shared), true);
  unless(access.gives_way_in_global, offsetof(Machine, gives_way_in_global), true);
  if (access.has_policy) {
    vmovd(ecx, Xbyak::Xmm(place.policy.index[0]));
    test(ecx, kOwnPolicy);
    jnz(slow, T_NEAR);
  }
  if (guarded_) {
    test(kOn, kOn);
    jz(none, T_NEAR);
    cmp(kOn, ~0u);
    jne(slow, T_NEAR);
  }
  unless(access.loads, offsetof(Machine, loads_freely), false);
  unless(!access.loads, offsetof(Machine, stores_freely), false);
}

// At `none`: no lane is on, and the rows that would be loaded stay as they are.
void RegionCompiler::keep_rows(const RowAccess& access, const Data& data,
                               std::shared_ptr<Xbyak::Label> none,
                               std::shared_ptr<Xbyak::Label> done) {
  later([this, rows = access.width / 4u, data, none, done, before = values_, first = op_->d] {
    L(*none);
    for (unsigned i = 0; i < rows; ++i) {
      const RowOffset row = first + static_cast<RowOffset>(i * kWarpSize);
      const auto old = before.find(row);
      for (Half half = 0; half < 2; ++half)
        if (old != before.end())
          vmovdqa32(data[i][half], old->second.row[half]);
        else
          vmovdqu32(data[i][half], at(row, half));
    }
    jmp(*done, T_NEAR);
  });
}

// The first lane's address.
void RegionCompiler::find_place(const RowAccess& access, const Place& place, Xbyak::Label& slow) {
  using Base = RowAccess::Base;
  const auto load = [&](const Row& low, const Row& high, Base base, const Xbyak::Reg64& to) {
    vmovd(to.cvt32(), Xbyak::Xmm(low.index[0]));
    if (base != Base::pair) return;
    vmovd(edx, Xbyak::Xmm(high.index[0]));
    shl(rdx, 32);
    or_(to, rdx);
  };
  if (access.base != Base::none)
    load(place.low, place.high, access.base, kAddress);
  else
    xor_(eax, eax);
  if (access.uniform != Base::none) {
    load(place.uniform, place.uniform_high, access.uniform, rcx);
    add(kAddress, rcx);
  }
  if (access.offset != 0) add(kAddress, access.offset);
  test(al, access.width - 1u);
  jnz(slow, T_NEAR);
}

// Goes on where lanes' pieces are a row. In scratch(0) is the first lane's lower word then and
// elsewhere, in k5 whether all upper words are one.
void RegionCompiler::find_row(const RunOp& each, const Place& place, Xbyak::Label& other,
                              Xbyak::Label& slow) {
  const RowAccess& access = each.access;
  const bool is_pair = access.base == RowAccess::Base::pair;
  const Xbyak::Zmm first = scratch(0), next = scratch(1);
  const std::uint32_t width = access.width;
  if (is_pair) {
    vpbroadcastd(first, Xbyak::Xmm(place.high.index[0]));
    vpcmpeqd(k6, first, place.high[0]);
    vpcmpeqd(k7, first, place.high[1]);
    kandw(k5, k6, k7);
  }
  vpbroadcastd(first, Xbyak::Xmm(place.low.index[0]));
  if (width > (access.is_shared ? 4 : 8)) return;
  vpaddd(next, first, vector(multiples(0, width)));
  vpcmpeqd(k6, next, place.low[0]);
  vpaddd(next, first, vector(multiples(kHalf, width)));
  vpcmpeqd(k7, next, place.low[1]);
  kandw(k6, k6, k7);
  if (is_pair) kandw(k6, k6, k5);
  kortestw(k6, k6);
  jnc(other, T_NEAR);
  // Where the lower words overflow lanes' addresses are further apart.
  vmovd(ecx, Xbyak::Xmm(place.low.index[0]));
  cmp(ecx, ~0u - (kWarpSize - 1) * width);
  ja(slow, T_NEAR);
}

void RegionCompiler::find_same(const RowAccess& access, const Place& place, Xbyak::Label& other) {
  vpcmpeqd(k6, scratch(0), place.low[0]);
  vpcmpeqd(k7, scratch(0), place.low[1]);
  kandw(k6, k6, k7);
  if (access.base == RowAccess::Base::pair) kandw(k6, k6, k5);
  kortestw(k6, k6);
  jnc(other, T_NEAR);
}

// In scratch(1) and scratch(2) is then how far lanes' addresses are from the first one, of which
// kAddress becomes the lowest.
void RegionCompiler::find_pattern(const RunOp& each, std::uint32_t pc, const Place& place,
                                  Xbyak::Label& slow) {
  const RowAccess& access = each.access;
  const std::size_t apart = offsetof(AccessPattern, apart);
  // Further on by so much there are as many sectors, lines and banks.
  const std::uint32_t unit = access.is_shared ? access.width : 1u << kLineShift;
  mov(kPattern, ptr[kMachine + offsetof(Machine, patterns)]);
  if (pc % Machine::kPatterns != 0)
    add(kPattern, static_cast<std::uint32_t>(pc % Machine::kPatterns * sizeof(AccessPattern)));
  if (!access.is_shared) {
    constexpr std::uint32_t kPhase = ((Machine::kPhases - 1) << kSectorShift);
    mov(ecx, kAddress.cvt32());
    and_(ecx, kPhase);
    imul(ecx, ecx, Machine::kPatterns * sizeof(AccessPattern) >> kSectorShift);
    add(kPattern, rcx);
  }
  cmp(dword[kPattern + offsetof(AccessPattern, pc)], pc);
  jne(slow, T_NEAR);
  mov(ecx, kAddress.cvt32());
  sub(ecx, dword[kPattern + offsetof(AccessPattern, at)]);
  test(ecx, unit - 1);
  jnz(slow, T_NEAR);
  vmovd(ecx, Xbyak::Xmm(place.low.index[0]));
  cmp(ecx, dword[kPattern + offsetof(AccessPattern, lowest)]);
  jb(slow, T_NEAR);
  cmp(ecx, dword[kPattern + offsetof(AccessPattern, highest)]);
  ja(slow, T_NEAR);
  for (Half half = 0; half < 2; ++half) {
    vpsubd(scratch(1 + half), place.low[half], scratch(0));
    vpcmpeqd(half == 0 ? k6 : k7, scratch(1 + half), ptr[kPattern + apart + 64 * half]);
  }
  kandw(k6, k6, k7);
  if (access.base == RowAccess::Base::pair) kandw(k6, k6, k5);
  kortestw(k6, k6);
  jnc(slow, T_NEAR);
  movsxd(kLeast, dword[kPattern + offsetof(AccessPattern, least)]);
  add(kAddress, kLeast);
  mov(kBytes.cvt32(), dword[kPattern + offsetof(AccessPattern, bytes)]);
}

// Where `bytes` from kAddress on are (0: as many as kBytes says): as Core::resolve_known, or in the
// block's shared memory.
void RegionCompiler::find_memory(const RowAccess& access, unsigned bytes, Xbyak::Label& slow) {
  const auto compare = [&] {
    if (bytes != 0)
      cmp(rdx, bytes);
    else
      cmp(rdx, kBytes);
  };
  if (access.is_shared) {
    mov(rdx, ptr[kMachine + offsetof(Machine, shared_bytes)]);
    sub(rdx, kAddress);
    jbe(slow, T_NEAR);
    compare();
    jb(slow, T_NEAR);
    mov(kView, ptr[kMachine + offsetof(Machine, shared)]);
    add(kView, kAddress);
    return;
  }
  Xbyak::Label found;
  for (std::size_t i = 0; i < std::tuple_size_v<decltype(Machine::known)>; ++i) {
    const std::size_t known = offsetof(Machine, known) + i * sizeof(Machine::Known);
    Xbyak::Label next;
    mov(kView, kAddress);
    sub(kView, ptr[kMachine + known + offsetof(Machine::Known, start)]);
    mov(rdx, ptr[kMachine + known + offsetof(Machine::Known, bytes)]);
    sub(rdx, kView);
    jbe(next);
    mov(rcx, ptr[kMachine + known + offsetof(Machine::Known, data)]);
    compare();
    jae(found, T_NEAR);
    L(next);
  }
  jmp(slow, T_NEAR);
  L(found);
  add(kView, rcx);
}

Xbyak::Address RegionCompiler::count_at(const RunOp& each, std::size_t member) {
  return qword[r10 + (each.threads_on.offset + member - offsetof(InstructionCounts, threads_on))];
}

// As count_global_row, and as one access of shared memory without conflicts. A row of words is
// aligned to them, so that it takes a sector or line more where it is not to those.
void RegionCompiler::count_row(const RunOp& each) {
  if (each.access.is_shared) return count_same(each);
  const unsigned width = each.access.width;
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  add(count_at(each, offsetof(InstructionCounts, global)), 1);
  add(count_at(each, offsetof(InstructionCounts, threads_global)), kWarpSize);
  add(count_at(each, offsetof(InstructionCounts, sectors_global_ideal)), width);
  add(count_at(each, offsetof(InstructionCounts, bytes_global)), kWarpSize * width);
  const auto pieces = [&](std::size_t member, std::uint32_t fewest, std::uint32_t below) {
    xor_(ecx, ecx);
    test(al, below);
    setnz(cl);
    add(ecx, fewest);
    add(count_at(each, member), rcx);
  };
  pieces(offsetof(InstructionCounts, sectors_global), width, (1u << kSectorShift) - 1);
  pieces(offsetof(InstructionCounts, tags_global), width / 4, (1u << kLineShift) - 1);
}

void RegionCompiler::count_same(const RunOp& each) {
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  if (each.access.is_shared) {
    // Of four words a pass returns half.
    const unsigned passes = each.access.width == 16 ? 2 : 1;
    add(count_at(each, offsetof(InstructionCounts, shared)), 1);
    add(count_at(each, offsetof(InstructionCounts, threads_shared)), kWarpSize);
    add(count_at(each, offsetof(InstructionCounts, wavefronts_shared)), passes);
    add(count_at(each, offsetof(InstructionCounts, wavefronts_shared_ideal)), passes);
    return;
  }
  add(count_at(each, offsetof(InstructionCounts, global)), 1);
  add(count_at(each, offsetof(InstructionCounts, threads_global)), kWarpSize);
  add(count_at(each, offsetof(InstructionCounts, sectors_global)), 1);
  add(count_at(each, offsetof(InstructionCounts, sectors_global_ideal)), 1);
  add(count_at(each, offsetof(InstructionCounts, tags_global)), 1);
  add(count_at(each, offsetof(InstructionCounts, bytes_global)),
      kWarpSize * std::uint32_t{each.access.width});
}

void RegionCompiler::count_pattern(const RunOp& each) {
  const auto as_then = [&](std::size_t member, std::size_t of) {
    mov(ecx, dword[kPattern + of]);
    add(count_at(each, member), rcx);
  };
  mov(dword[kPattern + offsetof(AccessPattern, missed)], 0);
  mov(r10, ptr[counted_ + 8 * each.threads_on.page]);
  if (each.access.is_shared) {
    add(count_at(each, offsetof(InstructionCounts, shared)), 1);
    add(count_at(each, offsetof(InstructionCounts, threads_shared)), kWarpSize);
    as_then(offsetof(InstructionCounts, wavefronts_shared), offsetof(AccessPattern, pieces));
    as_then(offsetof(InstructionCounts, wavefronts_shared_ideal), offsetof(AccessPattern, ideal));
    return;
  }
  add(count_at(each, offsetof(InstructionCounts, global)), 1);
  add(count_at(each, offsetof(InstructionCounts, threads_global)), kWarpSize);
  add(count_at(each, offsetof(InstructionCounts, bytes_global)),
      kWarpSize * std::uint32_t{each.access.width});
  as_then(offsetof(InstructionCounts, sectors_global), offsetof(AccessPattern, pieces));
  as_then(offsetof(InstructionCounts, sectors_global_ideal), offsetof(AccessPattern, ideal));
  as_then(offsetof(InstructionCounts, tags_global), offsetof(AccessPattern, lines));
}

// As RowPrefetch::note: four times as far as from the last row to this one.
void RegionCompiler::note_row(const RowAccess& access) {
  mov(rdx, ptr[kMachine + offsetof(Machine, rows_before)]);
  mov(rcx, kView);
  sub(rcx, ptr[rdx + 8 * access.row_before]);
  mov(ptr[rdx + 8 * access.row_before], kView);
  lea(rcx, ptr[kView + rcx * 4]);
  for (unsigned line = 0; line < kWarpSize * access.width; line += 64) prefetcht0(ptr[rcx + line]);
}

void RegionCompiler::load_row(const RowAccess& access, const Data& to) {
  if (access.width == 4) {
    for (Half half = 0; half < 2; ++half) vmovdqu32(to[0][half], ptr[kView + 64 * half]);
    return;
  }
  for (Half half = 0; half < 2; ++half) {
    const Xbyak::Zmm low = scratch(0), high = scratch(1);
    vmovdqu32(low, ptr[kView + 128 * half]);
    vmovdqu32(high, ptr[kView + 128 * half + 64]);
    for (unsigned word = 0; word < 2; ++word) {
      vmovdqu32(to[word][half], vector(every_second(word)));
      vpermi2d(to[word][half], low, high);
    }
  }
}

void RegionCompiler::load_same(const RowAccess& access, const Data& to) {
  for (unsigned word = 0; word < access.width / 4u; ++word) {
    vpbroadcastd(to[word][0], dword[kView + 4 * word]);
    vmovdqa32(to[word][1], to[word][0]);
  }
}

void RegionCompiler::store_row(const RowAccess& access, const Data& from) {
  if (access.width == 4) {
    for (Half half = 0; half < 2; ++half) vmovdqu32(ptr[kView + 64 * half], from[0][half]);
  } else {
    for (Half half = 0; half < 2; ++half)
      for (unsigned part = 0; part < 2; ++part) {
        const Xbyak::Zmm both = scratch(0);
        vmovdqu32(both, vector(in_turn(8 * part)));
        vpermi2d(both, from[0][half], from[1][half]);
        vmovdqu32(ptr[kView + 128 * half + 64 * part], both);
      }
  }
  note_store();
}

void RegionCompiler::load_pattern(const RowAccess& access, const Data& to) {
  for (unsigned word = 0; word < access.width / 4u; ++word)
    for (Half half = 0; half < 2; ++half) {
      kxnorw(k6, k6, k6);
      vpxord(to[word][half], to[word][half], to[word][half]);
      vpgatherdd(to[word][half] | k6, ptr[kView + scratch(1 + half) + 4 * word]);
    }
}

// Of lanes that store to one place the last one's word stays: they are stored in order.
void RegionCompiler::store_pattern(const RowAccess& access, const Data& from) {
  for (unsigned word = 0; word < access.width / 4u; ++word)
    for (Half half = 0; half < 2; ++half) {
      kxnorw(k6, k6, k6);
      vpscatterdd(ptr[kView + scratch(1 + half) + 4 * word] | k6, from[word][half]);
    }
  note_store();
}

// As Polling::change.
void RegionCompiler::note_store() {
  mov(rcx, ptr[kMachine + offsetof(Machine, issued)]);
  mov(ptr[kMachine + offsetof(Machine, stored_at)], rcx);
}

Xbyak::Address RegionCompiler::vector(const std::array<std::uint32_t, 16>& words) {
  return ptr[rip + vectors_[words]];
}

void RegionCompiler::write_vectors() {
  for (auto& [words, label] : vectors_) {
    L(label);
    for (const std::uint32_t word : words) dd(word);
  }
}

void RegionCompiler::spill(const Values& values) {
  for (const auto& [row, value] : values) store(row, value);
}

void RegionCompiler::reload(const Values& values) {
  for (const auto& [row, value] : values)
    for (Half half = 0; half < (value.row.index[0] == value.row.index[1] ? 1 : 2); ++half)
      vmovdqu32(value.row[half], at(row, half));
}

}  // namespace heddle::simulator::native
