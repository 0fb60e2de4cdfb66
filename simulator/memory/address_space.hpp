// How generic addresses reach shared and local memory.
//
// A GPU keeps two windows of the generic address space; their bases are handed to kernels through
// constant bank 0 (docs/hardware/cubins.md). Where the windows lie is the driver's choice; ours are
// 4 GiB each, as on sm_90 a shared address carries the block's rank in its cluster in bits 31:24.
#pragma once

#include <cstdint>

namespace heddle::simulator {

inline constexpr std::uint64_t kSharedWindow = 0x1'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x2'0000'0000;

// A thread's local addresses end here; its stack grows down from there. (Compiled code checks its
// stack pointer against a limit above zero, so there must be room below it.)
inline constexpr std::uint32_t kLocalEnd = 0x100'0000;

enum class Window : std::uint8_t { global, shared, local };

constexpr Window window_of(std::uint64_t generic_address) {
  switch (generic_address >> 32) {
    case kSharedWindow >> 32:
      return Window::shared;
    case kLocalWindow >> 32:
      return Window::local;
    default:
      return Window::global;
  }
}

}  // namespace heddle::simulator
