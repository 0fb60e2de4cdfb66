// A set of lanes of a warp.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "simulator/base/types.hpp"

namespace heddle::simulator {

// A set of lanes: bit i is lane i. No number is taken for it unless it says so, nor is it read as
// one: bits() is for registers, records and text.
class Mask {
 public:
  // The lanes of a set, lowest first.
  class Lanes {
   public:
    constexpr explicit Lanes(std::uint32_t left) : left_(left) {}
    constexpr unsigned operator*() const { return static_cast<unsigned>(std::countr_zero(left_)); }
    constexpr Lanes& operator++() {
      left_ &= left_ - 1;
      return *this;
    }
    friend constexpr bool operator==(Lanes, Lanes) = default;

   private:
    std::uint32_t left_;
  };

  constexpr Mask() = default;  // no lane
  constexpr explicit Mask(std::uint32_t bits) : bits_(bits) {}
  static constexpr Mask of(unsigned lane) { return Mask(1u << lane); }
  // The lanes below this one: the first `lane` ones, all from 32 on.
  static constexpr Mask below(std::uint64_t lane) {
    return Mask(lane < kWarpSize ? (1u << lane) - 1 : ~0u);
  }

  constexpr std::uint32_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool any() const { return bits_ != 0; }
  constexpr unsigned count() const { return static_cast<unsigned>(std::popcount(bits_)); }
  constexpr bool has(unsigned lane) const { return (bits_ >> lane & 1u) != 0; }
  constexpr bool within(Mask others) const { return (bits_ & ~others.bits_) == 0; }
  constexpr bool is_single() const { return std::has_single_bit(bits_); }
  // The lowest and the highest lane of a set that is not empty.
  constexpr unsigned first() const { return static_cast<unsigned>(std::countr_zero(bits_)); }
  constexpr unsigned last() const { return static_cast<unsigned>(std::bit_width(bits_)) - 1; }

  // Whether it is lanes side by side.
  constexpr bool is_run() const { return any() && count() == last() - first() + 1; }
  constexpr Mask without_first() const { return Mask(bits_ & (bits_ - 1)); }
  // The first one from `lane` on, where lane 0 follows the last.
  constexpr unsigned first_from(unsigned lane) const {
    const std::uint32_t from_here = std::rotr(bits_, static_cast<int>(lane));
    return (lane + static_cast<unsigned>(std::countr_zero(from_here))) % kWarpSize;
  }

  constexpr Lanes begin() const { return Lanes(bits_); }
  constexpr Lanes end() const { return Lanes(0); }

  constexpr Mask& operator&=(Mask other) {
    bits_ &= other.bits_;
    return *this;
  }
  constexpr Mask& operator|=(Mask other) {
    bits_ |= other.bits_;
    return *this;
  }
  constexpr Mask& operator^=(Mask other) {
    bits_ ^= other.bits_;
    return *this;
  }
  friend constexpr Mask operator&(Mask one, Mask other) { return Mask(one.bits_ & other.bits_); }
  friend constexpr Mask operator|(Mask one, Mask other) { return Mask(one.bits_ | other.bits_); }
  friend constexpr Mask operator^(Mask one, Mask other) { return Mask(one.bits_ ^ other.bits_); }
  friend constexpr Mask operator~(Mask lanes) { return Mask(~lanes.bits_); }
  // Each lane's neighbour `by` lanes above it, or below.
  friend constexpr Mask operator<<(Mask lanes, unsigned by) { return Mask(lanes.bits_ << by); }
  friend constexpr Mask operator>>(Mask lanes, unsigned by) { return Mask(lanes.bits_ >> by); }
  friend constexpr bool operator==(Mask, Mask) = default;
  friend constexpr std::strong_ordering operator<=>(Mask, Mask) = default;  // NOLINT: no pointer

 private:
  std::uint32_t bits_ = 0;
};
static_assert(sizeof(Mask) == sizeof(std::uint32_t));

inline constexpr Mask kFullMask{~0u};

// 0xff_lanes: the first eight.
consteval Mask operator""_lanes(unsigned long long bits) {
  return Mask(static_cast<std::uint32_t>(bits));
}

}  // namespace heddle::simulator
