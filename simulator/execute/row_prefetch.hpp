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
    const auto at = reinterpret_cast<std::uintptr_t>(row);
    std::uintptr_t& last = last_[place_of(pc)];
    const std::uintptr_t wanted = at + (at - last) * kAhead;
    last = at;
    for (std::size_t line = 0; line < bytes; line += kLine)
      __builtin_prefetch(reinterpret_cast<const void*>(wanted + line));
  }

  // For native code, which does the same: where the last rows of instructions are, and which of
  // them is an instruction's.
  static constexpr std::uintptr_t kAhead = 4, kLine = 64;
  static constexpr std::size_t kPlaces = 512;
  static std::uint32_t place_of(std::uint32_t pc) { return pc % kPlaces; }
  std::uintptr_t* places() { return last_.data(); }

 private:
  // By instruction; two of a loop that share a place ask for what nobody needs.
  std::array<std::uintptr_t, kPlaces> last_{};
};

}  // namespace heddle::simulator
