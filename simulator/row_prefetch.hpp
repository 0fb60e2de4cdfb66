// Brings memory near that a warp's loops will want. The host's own prefetchers do not follow: a
// loop that strides over the grid goes to another page each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/types.hpp"

namespace heddle::simulator {

class RowPrefetch {
 public:
  explicit RowPrefetch(std::size_t instructions) : last_(instructions) {}

  // The instruction is about to access the row of `bytes` at `row`. Where it moves on as far each
  // time, what it will want some times later is asked for; what lies there does not matter.
  void note(std::uint32_t pc, const std::byte* row, std::size_t bytes) {
    constexpr std::uintptr_t kAhead = 4, kLine = 64;
    const auto at = reinterpret_cast<std::uintptr_t>(row);
    const std::uintptr_t wanted = at + (at - last_[pc]) * kAhead;
    last_[pc] = at;
    for (std::size_t line = 0; line < bytes; line += kLine)
      __builtin_prefetch(reinterpret_cast<const void*>(wanted + line));
  }

 private:
  std::vector<std::uintptr_t> last_;
};

}  // namespace heddle::simulator
