// What an instruction wrote to one register of 32 lanes, in few bytes. Most rows are the same in
// all lanes, or a straight line over the lanes (an index, an address), or the old row plus one of
// these; what is none of them is kept lane by lane.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "simulator/base/mask.hpp"

namespace heddle::traces {

using Row = std::span<const std::uint32_t, simulator::kWarpSize>;

// The form, in the low bits of the first byte.
enum class RowForm : std::uint8_t {
  same,      // value
  line,      // value at lane 0, step per lane
  add,       // to the old row: value
  add_line,  // to the old row: value at lane 0, step per lane
  steps,     // each lane's difference to the lane before it
  planes,    // the lanes' lowest bytes, then the next higher …
};
inline constexpr std::uint8_t kOwnLanes = 8;  // bit of the first byte: a lane mask follows

// Appends the lanes where `now` differs from `old`, which must be at least one. `usual`: the lanes
// a reader expects (those that executed); the mask is written only where others changed.
// All arithmetic is modulo 2^32; values are zigzag varints.
void put_row(std::string& bytes, Row old, Row now, simulator::Mask usual);

}  // namespace heddle::traces
