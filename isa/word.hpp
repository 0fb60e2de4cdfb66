// One 128-bit instruction word.
#pragma once

#include <compare>
#include <cstdint>

namespace heddle::isa {

// `lo` holds bits 63:0 (the first eight bytes in memory, little endian), `hi` bits 127:64.
struct Word {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  friend constexpr auto operator<=>(const Word&, const Word&) = default;

  // `count` (1–64) bits from bit `first` up; the range may cross bit 64.
  constexpr std::uint64_t bits(unsigned first, unsigned count) const {
    std::uint64_t value = first >= 64 ? hi >> (first - 64) : lo >> first;
    if (first < 64 && first + count > 64) value |= hi << (64 - first);
    return count == 64 ? value : value & ((std::uint64_t{1} << count) - 1);
  }

  constexpr bool bit(unsigned position) const { return bits(position, 1) != 0; }

  constexpr void set_bits(unsigned first, unsigned count, std::uint64_t value) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned position = first + i;
      std::uint64_t& half = position >= 64 ? hi : lo;
      const std::uint64_t mask = std::uint64_t{1} << (position % 64);
      half = (value >> i & 1) != 0 ? half | mask : half & ~mask;
    }
  }
};

}  // namespace heddle::isa
