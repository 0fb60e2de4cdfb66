// The place of an instruction in a module's code.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace heddle::simulator {

// An index in isa::Program::instructions. It is read as a number, but no number is taken for it
// unless it says so: a mask, a lane or a cycle in its place does not compile.
class Pc {
 public:
  constexpr Pc() = default;
  constexpr explicit Pc(std::uint32_t index) : index_(index) {}
  constexpr operator std::uint32_t() const {
    return index_;
  }  // NOLINT(google-explicit-constructor)

  constexpr Pc& operator++() {
    ++index_;
    return *this;
  }
  constexpr Pc operator++(int) { return Pc(index_++); }
  constexpr Pc& operator--() {
    --index_;
    return *this;
  }
  constexpr Pc& operator+=(std::uint32_t instructions) {
    index_ += instructions;
    return *this;
  }
  template <std::integral Count>
  friend constexpr Pc operator+(Pc pc, Count instructions) {
    return Pc(pc.index_ + static_cast<std::uint32_t>(instructions));
  }
  template <std::integral Count>
  friend constexpr Pc operator-(Pc pc, Count instructions) {
    return Pc(pc.index_ - static_cast<std::uint32_t>(instructions));
  }
  friend constexpr bool operator==(Pc, Pc) = default;
  friend constexpr std::strong_ordering operator<=>(Pc, Pc) = default;  // NOLINT: no pointer

 private:
  std::uint32_t index_ = 0;
};

inline constexpr Pc kNowhere{~0u};  // instead of one

}  // namespace heddle::simulator
