// Small strong types the whole simulator shares.
#pragma once

#include <cstdint>

namespace heddle::simulator {

inline constexpr unsigned kWarpSize = 32;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace heddle::simulator
