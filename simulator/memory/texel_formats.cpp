// How channels of texels become numbers (what CUDA leaves open is as measured,
// docs/experiments/textures.md).
#include "simulator/memory/texel_formats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace heddle::simulator {
namespace {

using Format = TextureHeader::Format;

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, rest = half & 1023;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(rest), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t bits = exponent == 31 ? 0x7f80'0000u : (exponent + 112) << 23;
  return std::bit_cast<float>(sign | bits | rest << 13);
}

std::uint16_t half_cut_off(std::uint32_t bits) {
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fff'ffff;
  const std::uint32_t rest = magnitude >> 13 & 1023;
  if (magnitude > 0x7f80'0000)  // NaNs keep the upper bits of their payload
    return static_cast<std::uint16_t>(sign | 0x7c00 | (rest != 0 ? rest : 1));
  if (magnitude == 0x7f80'0000) return static_cast<std::uint16_t>(sign | 0x7c00);
  const float value = std::bit_cast<float>(magnitude);
  if (value >= 65536) return static_cast<std::uint16_t>(sign | 0x7bff);
  if (value < std::ldexp(1.0f, -14))
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::ldexp(value, 24)));
  return static_cast<std::uint16_t>(sign | ((magnitude >> 23) - 112) << 10 | rest);
}

// To eight bits, of which the last is worth 2^-14 at least.
float srgb_to_linear(float value) {
  const double exact = value <= 0.04045f ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int unit = std::max(exponent - 8, -14);
  return static_cast<float>(std::ldexp(std::round(std::ldexp(exact, -unit)), unit));
}

std::uint32_t raw_channel(const TextureHeader& header, const std::byte* texel, unsigned channel) {
  std::uint32_t raw = 0;
  const unsigned bytes = header.channel_bits / 8u;
  std::memcpy(&raw, texel + channel * bytes, bytes);
  if (header.format == Format::signed_integer && bytes < 4) {
    const unsigned shift = 32 - header.channel_bits;
    raw = static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << shift) >> shift);
  }
  return raw;
}

float number(const TextureHeader& header, std::uint32_t raw, unsigned channel) {
  if (header.format == Format::floating)
    return header.channel_bits == 16 ? half_to_float(static_cast<std::uint16_t>(raw))
                                     : std::bit_cast<float>(raw);
  const float most =
      std::ldexp(1.0f, header.channel_bits - (header.format == Format::signed_integer)) - 1;
  if (header.format == Format::signed_integer)
    return std::max(-1.0f, static_cast<float>(static_cast<std::int32_t>(raw)) / most);
  const float value = static_cast<float>(raw) / most;
  return header.srgb && channel < 3 ? srgb_to_linear(value) : value;
}

// Of a border, textures of integers take the bits of the number as they are.
std::uint32_t border_integer(const TextureHeader& header, unsigned channel) {
  std::array<std::byte, 16> texel{};
  std::memcpy(texel.data() + channel * header.channel_bits / 8u, &header.border[channel],
              header.channel_bits / 8u);
  return raw_channel(header, texel.data(), channel);
}

// To the nearest float; what lies between two goes away from zero.
float nearest_away(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t kDropped = (std::uint64_t{1} << 29) - 1, kHalf = std::uint64_t{1} << 28;
  if ((bits & kDropped) != kHalf) return static_cast<float>(value);
  return static_cast<float>(std::bit_cast<double>(bits + 1));
}

// The largest integer in the units in which a filter adds up integers: of 16 bits, as measured.
double filter_unit(const TextureHeader& header) {
  return header.format == Format::unsigned_integer ? 65535 : 32767;
}

}  // namespace

bool gives_numbers(const TextureHeader& header) {
  return header.format == Format::floating || header.normalized_result;
}

std::uint32_t channel_bits(const TextureHeader& header, const std::byte* texel, unsigned channel) {
  const std::uint32_t bits = raw_channel(header, texel, channel);
  return gives_numbers(header) ? std::bit_cast<std::uint32_t>(number(header, bits, channel)) : bits;
}

void store_channel(const TextureHeader& header, std::uint32_t bits, unsigned channel,
                   std::byte* texel) {
  const unsigned bytes = header.channel_bits / 8u;
  if (bytes < 4 && header.format == Format::floating) {
    bits = half_cut_off(bits);
  } else if (bytes < 4 && header.format == Format::signed_integer) {
    const std::int32_t most = (1 << (header.channel_bits - 1)) - 1;
    bits = static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(bits), -most - 1, most));
  } else if (bytes < 4) {
    bits = std::min(bits, (1u << header.channel_bits) - 1);
  }
  std::memcpy(texel + channel * bytes, &bits, bytes);
}

std::uint32_t border_bits(const TextureHeader& header, unsigned channel) {
  return gives_numbers(header) ? std::bit_cast<std::uint32_t>(header.border[channel])
                               : border_integer(header, channel);
}

double filter_input(const TextureHeader& header, const std::byte* texel, unsigned channel) {
  const std::uint32_t bits = raw_channel(header, texel, channel);
  if (header.format == Format::floating) return number(header, bits, channel);
  if (header.srgb && channel < 3)
    return std::round(number(header, bits, channel) * filter_unit(header));
  const auto value = static_cast<std::int32_t>(bits);
  if (header.channel_bits == 16) return value;
  if (header.format == Format::unsigned_integer) return value * 257;
  const int magnitude = std::abs(value);
  const int wide = magnitude * 258 + (magnitude >> 6);  // the upper bits again behind the lower
  return value < 0 ? -wide : wide;
}

double border_input(const TextureHeader& header, unsigned channel) {
  if (header.format == Format::floating) return header.border[channel];
  return std::round(std::clamp(header.border[channel], -1.0f, 1.0f) * filter_unit(header));
}

float filtered_number(const TextureHeader& header, double sum) {
  if (header.format == Format::unsigned_integer)
    return static_cast<float>(std::floor(sum + 0.5)) / 65535.0f;
  if (header.format == Format::signed_integer)
    return std::max(-1.0f, static_cast<float>(std::floor(sum + 0.5)) / 32767.0f);
  if (header.channel_bits == 32) return nearest_away(sum);
  int exponent = 0;
  std::frexp(sum, &exponent);
  const int unit = std::max(exponent - 11, -24);  // halves have 11 bits
  return static_cast<float>(std::ldexp(std::round(std::ldexp(sum, -unit)), unit));
}

}  // namespace heddle::simulator
