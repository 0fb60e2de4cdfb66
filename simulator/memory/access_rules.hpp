// Which rules say how many pieces of memory an access of a warp moves.
#pragma once

#include <cstdint>

namespace heddle::simulator {

enum class AccessRules : std::uint8_t {
  sectors,             // 32-byte sectors of 128-byte lines, a warp at a time: Maxwell and later
  lines,               // loads move whole lines of 128 bytes into L1: 2.x
  half_warp_segments,  // 16 threads at a time, in segments of 32 to 128 bytes: 1.2 and 1.3
  half_warp_in_order,  // 16 threads at a time, one segment if they are in order: 1.0 and 1.1
};

constexpr bool has_half_warps(AccessRules rules) {
  return rules >= AccessRules::half_warp_segments;
}

}  // namespace heddle::simulator
