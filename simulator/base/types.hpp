// Small strong types the whole simulator shares.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::simulator {

inline constexpr unsigned kWarpSize = 32;

// A set of lanes: bit i is lane i.
using Mask = std::uint32_t;
inline constexpr Mask kFullMask = 0xffffffffu;

// Calls f(lane) for each lane of a set, lowest first.
template <typename F>
void for_each_lane(Mask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace heddle::simulator
