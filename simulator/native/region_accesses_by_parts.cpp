// Accesses of AVX2: rows go from memory to memory, eight lanes at a time.
#include <cstddef>

#include "simulator/native/region_compiler.hpp"
#include "simulator/native/registers.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

constexpr unsigned kParts = 4;
constexpr int kPartBytes = 32;
// The first lane's lower word; bits in which lanes' upper words differ, zero where there are none;
// bits in which something else differs.
const Xbyak::Ymm kFirst = ymm0, kUpper = ymm1, kDiffers = ymm2, kWork = ymm3, kOther = ymm4;

}  // namespace

void RegionCompiler::begin_access() {
  clean();
  used_low_ = true;
}

void RegionCompiler::find_row_by_parts(const RowAccess& access, const Place& place,
                                       Xbyak::Label& other, Xbyak::Label& slow) {
  const std::uint32_t width = access.width;
  vpxor(kUpper, kUpper, kUpper);
  if (access.base == RowAccess::Base::pair) {
    vpbroadcastd(kFirst, at(place.high.offset, 0));
    for (unsigned part = 0; part < kParts; ++part) {
      vpxor(kWork, kFirst, at(place.high.offset, part));
      vpor(kUpper, kUpper, kWork);
    }
  }
  vpbroadcastd(kFirst, at(place.low.offset, 0));
  if (width > (access.is_shared ? 4 : 8)) return;
  for (unsigned part = 0; part < kParts; ++part) {
    vpaddd(kWork, kFirst, words(multiples(16 * (part / 2), width), part % 2));
    vpxor(kWork, kWork, at(place.low.offset, part));
    vpor(kDiffers, part == 0 ? kUpper : kDiffers, kWork);
  }
  vptest(kDiffers, kDiffers);
  jnz(other, T_NEAR);
  // Where the lower words overflow lanes' addresses are further apart.
  load_first(ecx, place.low);
  cmp(ecx, ~0u - (kWarpSize - 1) * width);
  ja(slow, T_NEAR);
}

void RegionCompiler::find_same_by_parts(const Place& place, Xbyak::Label& other) {
  for (unsigned part = 0; part < kParts; ++part) {
    vpxor(kWork, kFirst, at(place.low.offset, part));
    vpor(kDiffers, part == 0 ? kUpper : kDiffers, kWork);
  }
  vptest(kDiffers, kDiffers);
  jnz(other, T_NEAR);
}

void RegionCompiler::compare_pattern_by_parts(const Place& place, Xbyak::Label& slow) {
  for (unsigned part = 0; part < kParts; ++part) {
    vpaddd(kWork, kFirst, ptr[kPattern + offsetof(AccessPattern, apart) + kPartBytes * part]);
    vpxor(kWork, kWork, at(place.low.offset, part));
    vpor(kDiffers, part == 0 ? kUpper : kDiffers, kWork);
  }
  vptest(kDiffers, kDiffers);
  jnz(slow, T_NEAR);
}

void RegionCompiler::load_row_by_parts(const RowAccess& access) {
  for (unsigned part = 0; part < kParts; ++part) {
    if (access.width == 4) {
      vmovdqu(kWork, ptr[kView + kPartBytes * part]);
      vmovdqu(at(op_->d, part), kWork);
      continue;
    }
    vmovdqu(kWork, ptr[kView + 2 * kPartBytes * part]);
    vmovdqu(kOther, ptr[kView + 2 * kPartBytes * part + kPartBytes]);
    for (unsigned i = 0; i < 2; ++i) {
      // Every second word, of each half of both.
      vshufps(kDiffers, kWork, kOther, i == 0 ? 0x88 : 0xdd);
      vpermq(kDiffers, kDiffers, 0xd8);
      vmovdqu(at(row_behind(op_->d, i), part), kDiffers);
    }
  }
}

void RegionCompiler::load_same_by_parts(const RowAccess& access) {
  for (unsigned i = 0; i < access.width / 4u; ++i) {
    vpbroadcastd(kWork, dword[kView + 4 * i]);
    for (unsigned part = 0; part < kParts; ++part) vmovdqu(at(row_behind(op_->d, i), part), kWork);
  }
}

void RegionCompiler::load_pattern_by_parts(const RowAccess& access) {
  for (unsigned part = 0; part < kParts; ++part) {
    vmovdqu(kOther, ptr[kPattern + offsetof(AccessPattern, apart) + kPartBytes * part]);
    for (unsigned i = 0; i < access.width / 4u; ++i) {
      vpcmpeqd(kDiffers, kDiffers, kDiffers);
      vpgatherdd(kWork, ptr[kView + kOther + 4 * i], kDiffers);
      vmovdqu(at(row_behind(op_->d, i), part), kWork);
    }
  }
}

void RegionCompiler::store_row_by_parts(const RowAccess& access) {
  for (unsigned part = 0; part < kParts; ++part) {
    vmovdqu(kWork, at(op_->b, part));
    if (access.width == 4) {
      vmovdqu(ptr[kView + kPartBytes * part], kWork);
      continue;
    }
    vpunpckhdq(kOther, kWork, at(row_behind(op_->b, 1), part));
    vpunpckldq(kWork, kWork, at(row_behind(op_->b, 1), part));
    for (unsigned i = 0; i < 2; ++i) {
      vperm2i128(kDiffers, kWork, kOther, i == 0 ? 0x20 : 0x31);
      vmovdqu(ptr[kView + 2 * kPartBytes * part + kPartBytes * i], kDiffers);
    }
  }
  note_store();
}

// One lane after the other: of those that store to one place the last one's word stays.
void RegionCompiler::store_pattern_by_parts(const RowAccess& access) {
  const Xbyak::Reg64 lane = r10, apart = rcx, base = op_->b >= 0 ? rows_ : pool_;
  Xbyak::Label next;
  xor_(lane.cvt32(), lane.cvt32());
  L(next);
  movsxd(apart, dword[kPattern + lane + offsetof(AccessPattern, apart)]);
  for (unsigned i = 0; i < access.width / 4u; ++i) {
    const RowOffset row = row_behind(op_->b, i);
    mov(edx, dword[base + lane + 4 * static_cast<std::size_t>(row >= 0 ? row : ~row)]);
    mov(dword[kView + apart + 4 * i], edx);
  }
  add(lane, 4);
  cmp(lane, 4 * kWarpSize);
  jb(next);
  note_store();
}

}  // namespace heddle::simulator::native
