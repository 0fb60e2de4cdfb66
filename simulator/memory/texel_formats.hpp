// How channels of texels become what registers and filters take.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/memory/texture.hpp"

namespace heddle::simulator {

// Whether samples are numbers (floats), not integers.
bool gives_numbers(const TextureHeader& header);

// A channel as a register holds it: of a texel, and of the border.
std::uint32_t channel_bits(const TextureHeader& header, const std::byte* texel, unsigned channel);
std::uint32_t border_bits(const TextureHeader& header, unsigned channel);

// The other way, of a formatted store: integers become the nearest ones of the channel, floats
// halves that are cut off.
void store_channel(const TextureHeader& header, std::uint32_t bits, unsigned channel,
                   std::byte* texel);

// What a filter adds up: numbers as they are, integers in units of the largest one of 16 bits.
double filter_input(const TextureHeader& header, const std::byte* texel, unsigned channel);
double border_input(const TextureHeader& header, unsigned channel);
// The result of a filter, of such a sum.
float filtered_number(const TextureHeader& header, double sum);

}  // namespace heddle::simulator
