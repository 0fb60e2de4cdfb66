// How what lanes load or store is moved once its memory is known (region_accesses.cpp), in whole
// vectors, and rows beside vector registers.
#include <cstddef>

#include "simulator/native/region_compiler.hpp"
#include "simulator/native/registers.hpp"

namespace heddle::simulator::native {
namespace {

using namespace Xbyak::util;

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

void RegionCompiler::load_row(const RowAccess& access, const Data& to) {
  if (!is_wide()) return load_row_by_parts(access);
  if (access.width == 4) {
    for (unsigned half = 0; half < 2; ++half) vmovdqu32(to[0][half], ptr[kView + 64 * half]);
    return;
  }
  for (unsigned half = 0; half < 2; ++half) {
    const Vector low = scratch(0), high = scratch(1);
    vmovdqu32(low, ptr[kView + 128 * half]);
    vmovdqu32(high, ptr[kView + 128 * half + 64]);
    for (unsigned i = 0; i < 2; ++i) {
      vmovdqu32(to[i][half], words(every_second(i)));
      vpermi2d(to[i][half], low, high);
    }
  }
}

void RegionCompiler::load_same(const RowAccess& access, const Data& to) {
  if (!is_wide()) return load_same_by_parts(access);
  for (unsigned i = 0; i < access.width / 4u; ++i) {
    vpbroadcastd(to[i][0], dword[kView + 4 * i]);
    vmovdqa32(to[i][1], to[i][0]);
  }
}

void RegionCompiler::store_row(const RowAccess& access, const Data& from) {
  if (!is_wide()) return store_row_by_parts(access);
  if (access.width == 4) {
    for (unsigned half = 0; half < 2; ++half) vmovdqu32(ptr[kView + 64 * half], from[0][half]);
  } else {
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned part = 0; part < 2; ++part) {
        const Vector both = scratch(0);
        vmovdqu32(both, words(in_turn(8 * part)));
        vpermi2d(both, from[0][half], from[1][half]);
        vmovdqu32(ptr[kView + 128 * half + 64 * part], both);
      }
  }
  note_store();
}

void RegionCompiler::load_pattern(const RowAccess& access, const Data& to) {
  if (!is_wide()) return load_pattern_by_parts(access);
  for (unsigned i = 0; i < access.width / 4u; ++i)
    for (unsigned half = 0; half < 2; ++half) {
      kxnorw(k6, k6, k6);
      vpxord(to[i][half], to[i][half], to[i][half]);
      vpgatherdd(to[i][half] | k6, ptr[kView + scratch(1 + half) + 4 * i]);
    }
}

// Of lanes that store to one place the last one's word stays: they are stored in order.
void RegionCompiler::store_pattern(const RowAccess& access, const Data& from) {
  if (!is_wide()) return store_pattern_by_parts(access);
  for (unsigned i = 0; i < access.width / 4u; ++i)
    for (unsigned half = 0; half < 2; ++half) {
      kxnorw(k6, k6, k6);
      vpscatterdd(ptr[kView + scratch(1 + half) + 4 * i] | k6, from[i][half]);
    }
  note_store();
}

// As Polling::change.
void RegionCompiler::note_store() {
  mov(rcx, ptr[kMachine + offsetof(Machine, issued)]);
  mov(ptr[kMachine + offsetof(Machine, stored_at)], rcx);
}

Xbyak::Address RegionCompiler::words(const std::array<std::uint32_t, 16>& of, unsigned part) {
  return ptr[rip + vectors_[of] + 32 * static_cast<int>(part)];
}

void RegionCompiler::write_vectors() {
  for (auto& [of, label] : vectors_) {
    L(label);
    for (const std::uint32_t each : of) dd(each);
  }
}

void RegionCompiler::spill(const Values& values) {
  for (const auto& [row, value] : values) store(row, value);
}

void RegionCompiler::reload(const Values& values) {
  for (const auto& [row, value] : values) load(value.row, row);
}

}  // namespace heddle::simulator::native
