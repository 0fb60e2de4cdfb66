// Short text for what the lanes of a warp hold: equal values once, evenly spaced ones by a rule.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "simulator/base/mask.hpp"

namespace heddle::traces {

using simulator::Mask;

// "all", "none", "even", "odd", "0-15", "3,7-9", "0-28/4" (every fourth one); a mask in hexadecimal
// where that would be long.
std::string lanes_text(Mask lanes);

// How a value is written: 0xfffffffe, -2, 4294967294, or as the float or double of these bits.
enum class ValueForm : std::uint8_t { hex, integer, natural, floating };
std::string value_text(std::uint64_t value, unsigned bits, ValueForm form);

// One value per lane, of `bits` (up to 64) bits; those of lanes outside `lanes` are not looked at.
//   0x10                   every lane has it
//   0x0+0x4*lane           evenly spaced; not of floats
//   {0-15:0x1 16-31:0x0}   each value with its lanes; after `most` values "+N more"
std::string values_text(Mask lanes, std::span<const std::uint64_t, simulator::kWarpSize> values,
                        unsigned bits, unsigned most, ValueForm form = ValueForm::hex);

}  // namespace heddle::traces
