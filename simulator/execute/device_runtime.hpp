// The device runtime's functions, as code calls them that launches grids: in no simulated
// instructions.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/execute/machine.hpp"
#include "simulator/launch/builtins.hpp"

namespace heddle::simulator {

// The ABI of calls: arguments from R4 up, the result in R4 (and R5), the return address in R20:R21.
inline constexpr unsigned kFirstArgument = 4;

inline std::uint32_t& argument(const Warp& warp, unsigned index, unsigned lane) {
  return warp.rows[std::size_t{index} * kWarpSize + lane];
}
inline std::uint64_t register_pair(const Warp& warp, unsigned index, unsigned lane) {
  return argument(warp, index, lane) | std::uint64_t{argument(warp, index + 1, lane)} << 32;
}
inline void set_register_pair(Warp& warp, unsigned index, unsigned lane, std::uint64_t value) {
  argument(warp, index, lane) = static_cast<std::uint32_t>(value);
  argument(warp, index + 1, lane) = static_cast<std::uint32_t>(value >> 32);
}

// A generic address as the thread sees it; null when `bytes` there are not all its own.
std::byte* thread_view(Core& core, Warp& warp, unsigned lane, std::uint64_t address,
                       std::uint64_t bytes);

// An answer that cannot be written where the code wants it.
struct BadAddress {
  Mask lanes{};
  std::uint64_t address = 0;
};
// `builtin`: is_device_runtime.
std::optional<BadAddress> call_device_runtime(Core& core, Warp& warp, Mask lanes, Builtin builtin);

}  // namespace heddle::simulator
