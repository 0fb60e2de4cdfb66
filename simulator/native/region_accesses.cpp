// Loads and stores of which all lanes access a row of memory, each one's piece behind the one
// before it, one place, or places that lie to one another as those of the last time: found,
// checked, counted and carried out as the machine does (simulator/execute/memory_access.cpp). Where
// an access is none of these, or is not known to be allowed, the machine executes it.
#include <cstddef>

#include "simulator/lanes/addresses.hpp"
#include "simulator/native/region_compiler.hpp"
#include "simulator/native/registers.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

constexpr unsigned kHalf = kWarpSize / 2;
constexpr std::uint32_t kOwnPolicy = 1u << 28;  // simulator/execute/cache_policy.hpp

}  // namespace

bool RegionCompiler::access_row(std::uint32_t index) {
  const RunOp& each = region_[index];
  const RowAccess& access = each.access;
  if (!full_ || access.width == 0) return false;
  if (!is_wide()) begin_access();
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
  leave_others(access, place, *slow, access.loads && is_wide() ? *none : *done);
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
  if (guarded_ && access.loads && is_wide()) keep_rows(access, data, none, done);
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
  const auto read = [&](RowOffset row, unsigned next) {
    return PlaceRow{is_wide() ? source(row, next) : Row{}, row_behind(row, next)};
  };
  if (access.base != Base::none) place.low = read(op_->a, 0);
  if (access.base == Base::pair) place.high = read(op_->a, 1);
  if (access.uniform != Base::none) place.uniform = read(access.uniform_row, 0);
  if (access.uniform == Base::pair) place.uniform_high = read(access.uniform_row, 1);
  if (access.has_policy) place.policy = read(access.uniform_row, 1);
  return place;
}

// What is to be stored, or registers for what is loaded.
RegionCompiler::Data RegionCompiler::take_data(const RowAccess& access) {
  Data data;
  if (!is_wide()) return data;
  for (unsigned i = 0; i < access.width / 4u; ++i) {
    if (!access.loads) {
      data[i] = source(op_->b, i);
      continue;
    }
    data[i] = new_row(2);
  }
  return data;
}

void RegionCompiler::take_loaded(const RowAccess& access, const Data& data) {
  if (!is_wide()) return;
  for (unsigned i = 0; i < access.width / 4u; ++i) {
    const RowOffset row = op_->d + static_cast<RowOffset>(i * kWarpSize);
    if (const auto old = values_.find(row); old != values_.end()) {
      give_back(old->second.row);
      values_.erase(old);
    }
    values_.emplace(row, Value{data[i], true, now_});
  }
}

// Where the warp's turn ends with the access, no more instructions are left of it, so that the code
// is left behind this one.
void RegionCompiler::give_way(const RowAccess& access) {
  if (!access.gives_way_in_shared && !access.gives_way_in_global) return;
  const auto ends = std::make_shared<Xbyak::Label>(), back = std::make_shared<Xbyak::Label>();
  cmp(byte[kMachine + (access.gives_way_in_shared ? offsetof(Machine, gives_way_in_shared)
                                                  : offsetof(Machine, gives_way_in_global))],
      true);
  je(*ends, T_NEAR);
  L(*back);
  later([this, ends, back] {
    L(*ends);
    mov(rax, ptr[kMachine + offsetof(Machine, issued)]);
    mov(ptr[kMachine + offsetof(Machine, issue_limit)], rax);
    mov(byte[kMachine + offsetof(Machine, gave_way)], true);
    jmp(*back, T_NEAR);
  });
}

// Goes to `slow` where others are to know of the access, or some lanes are off; to `none` where all
// are.
void RegionCompiler::leave_others(const RowAccess& access, const Place& place, Xbyak::Label& slow,
                                  Xbyak::Label& none) {
  const auto unless = [&](bool asked, std::size_t flag) {
    if (!asked) return;
    cmp(byte[kMachine + flag], false);
    je(slow, T_NEAR);
  };
  give_way(access);
  if (access.has_policy) {
    load_first(ecx, place.policy);
    test(ecx, kOwnPolicy);
    jnz(slow, T_NEAR);
  }
  if (guarded_) {
    test(kOn, kOn);
    jz(none, T_NEAR);
    cmp(kOn, ~0u);
    jne(slow, T_NEAR);
  }
  unless(access.is_shared, offsetof(Machine, shares_freely));
  unless(!access.is_shared && access.loads, offsetof(Machine, loads_freely));
  unless(!access.is_shared && !access.loads, offsetof(Machine, stores_freely));
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
      for (unsigned half = 0; half < 2; ++half)
        if (old != before.end())
          vmovdqa32(data[i][half], old->second.row[half]);
        else
          vmovdqu32(data[i][half], at(row, half));
    }
    jmp(*done, T_NEAR);
  });
}

void RegionCompiler::load_first(const Xbyak::Reg32& to, const PlaceRow& from) {
  is_wide() ? vmovd(to, Xbyak::Xmm(from.row.index[0])) : mov(to, at(from.offset, 0));
}

// The first lane's address.
void RegionCompiler::find_place(const RowAccess& access, const Place& place, Xbyak::Label& slow) {
  using Base = RowAccess::Base;
  const auto load = [&](const PlaceRow& low, const PlaceRow& high, Base base,
                        const Xbyak::Reg64& to) {
    load_first(to.cvt32(), low);
    if (base != Base::pair) return;
    load_first(edx, high);
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
  if (!is_wide()) return find_row_by_parts(access, place, other, slow);
  const Vector first = scratch(0), next = scratch(1);
  const std::uint32_t width = access.width;
  if (is_pair) {
    vpbroadcastd(first, Xbyak::Xmm(place.high.row.index[0]));
    vpcmpeqd(k6, first, place.high.row[0]);
    vpcmpeqd(k7, first, place.high.row[1]);
    kandw(k5, k6, k7);
  }
  vpbroadcastd(first, Xbyak::Xmm(place.low.row.index[0]));
  if (width > (access.is_shared ? 4 : 8)) return;
  vpaddd(next, first, words(multiples(0, width)));
  vpcmpeqd(k6, next, place.low.row[0]);
  vpaddd(next, first, words(multiples(kHalf, width)));
  vpcmpeqd(k7, next, place.low.row[1]);
  kandw(k6, k6, k7);
  if (is_pair) kandw(k6, k6, k5);
  kortestw(k6, k6);
  jnc(other, T_NEAR);
  // Where the lower words overflow lanes' addresses are further apart.
  load_first(ecx, place.low);
  cmp(ecx, ~0u - (kWarpSize - 1) * width);
  ja(slow, T_NEAR);
}

void RegionCompiler::find_same(const RowAccess& access, const Place& place, Xbyak::Label& other) {
  if (!is_wide()) return find_same_by_parts(place, other);
  vpcmpeqd(k6, scratch(0), place.low.row[0]);
  vpcmpeqd(k7, scratch(0), place.low.row[1]);
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
  and_(ecx, unit - 1);
  cmp(ecx, dword[kPattern + offsetof(AccessPattern, room)]);
  ja(slow, T_NEAR);
  load_first(ecx, place.low);
  cmp(ecx, dword[kPattern + offsetof(AccessPattern, lowest)]);
  jb(slow, T_NEAR);
  cmp(ecx, dword[kPattern + offsetof(AccessPattern, highest)]);
  ja(slow, T_NEAR);
  if (is_wide())
    compare_pattern(access, place, slow);
  else
    compare_pattern_by_parts(place, slow);
  movsxd(kLeast, dword[kPattern + offsetof(AccessPattern, least)]);
  add(kAddress, kLeast);
  mov(kBytes.cvt32(), dword[kPattern + offsetof(AccessPattern, bytes)]);
}

void RegionCompiler::compare_pattern(const RowAccess& access, const Place& place,
                                     Xbyak::Label& slow) {
  for (unsigned half = 0; half < 2; ++half) {
    vpsubd(scratch(1 + half), place.low.row[half], scratch(0));
    vpcmpeqd(half == 0 ? k6 : k7, scratch(1 + half),
             ptr[kPattern + offsetof(AccessPattern, apart) + 64 * half]);
  }
  kandw(k6, k6, k7);
  if (access.base == RowAccess::Base::pair) kandw(k6, k6, k5);
  kortestw(k6, k6);
  jnc(slow, T_NEAR);
}

// Where `bytes` from kAddress on are (0: as many as kBytes says): as Core::resolve_known, or in the
// block's shared memory. Where somebody is to know of it, it is noted.
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
    Xbyak::Label next;
    lea(kKnown, ptr[kMachine + offsetof(Machine, known) + i * sizeof(Machine::Known)]);
    mov(kView, kAddress);
    sub(kView, ptr[kKnown + offsetof(Machine::Known, start)]);
    mov(rdx, ptr[kKnown + offsetof(Machine::Known, bytes)]);
    sub(rdx, kView);
    jbe(next);
    compare();
    jae(found, T_NEAR);
    L(next);
  }
  jmp(slow, T_NEAR);
  L(found);
  note_words(access, bytes, slow);
  add(kView, ptr[kKnown + offsetof(Machine::Known, data)]);
}

}  // namespace heddle::simulator::native
