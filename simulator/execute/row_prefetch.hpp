// Brings memory near that a warp's loops will want. The host's own prefetchers do not follow: a
// loop that strides over the grid goes to another page each time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/base/types.hpp"

namespace heddle::simulator {

class RowPrefetch {
 public:
  // The instruction is about to access the row of `bytes` at `row`. Where it moves on as far each
  // time, what it will want some times later is asked for; what lies there does not matter.
  void note(std::uint32_t pc, const std::byte* row, std::size_t bytes) {
    constexpr std::uintptr_t kAhead = 4, kLine = 64;
    const auto at = reinterpret_cast<std::uintptr_t>(row);
    std::uintptr_t& last = last_[pc % last_.size()];
    const std::uintptr_t wanted = at + (at - last) * kAhead;
    last = at;
    for (std::size_t line = 0; line < bytes; line += kLine)
      __builtin_prefetch(reinterpret_cast<const void*>(wanted + line));
  }

 private:
  // By instruction; two of a loop that share a place ask for what nobody needs.
  std::array<std::uintptr_t, 512> last_{};
};

}  // namespace heddle::simulator
