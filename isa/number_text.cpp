#include "isa/number_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace heddle::isa {

std::string hex(std::uint64_t value) { return fmt::format("0x{:x}", value); }
std::string signed_hex(std::int64_t value) {
  return value < 0 ? fmt::format("-0x{:x}", -static_cast<std::uint64_t>(value))
                   : hex(static_cast<std::uint64_t>(value));
}

namespace {

// Twenty digits; in the exponent form from 10^9 on, where the digits count from the point.
std::string floating(double value) {
  if (std::isinf(value)) return value > 0 ? "+INF " : "-INF ";
  if (value == 0) return std::signbit(value) ? "-0.0 " : "0";
  return std::fabs(value) < 1e9 ? fmt::format("{:.20g}", value) : fmt::format("{:.20e}", value);
}

std::string nan_text(bool negative, bool quiet) {
  return fmt::format("{}{} ", negative ? '-' : '+', quiet ? "QNAN" : "SNAN");
}

}  // namespace

std::string float_text(std::uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  return std::isnan(value) ? nan_text(bits >> 31 != 0, true) : floating(value);
}

std::string double_text(std::uint32_t high_word) {
  const auto value = std::bit_cast<double>(std::uint64_t{high_word} << 32);
  constexpr std::uint32_t kQuiet = 0x00080000;
  return std::isnan(value) ? nan_text(high_word >> 31 != 0, (high_word & kQuiet) != 0)
                           : floating(value);
}

std::string half_text(std::uint32_t bits) {
  const bool negative = (bits & 0x8000) != 0;
  const std::uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31 && fraction != 0) return nan_text(negative, true);
  const double value = exponent == 0 ? std::ldexp(fraction, -24)
                       : exponent == 31
                           ? std::numeric_limits<double>::infinity()
                           : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
  return floating(negative ? -value : value);
}

std::string halves_text(std::uint32_t bits, bool bf16) {
  if (bf16) return fmt::format("{}, {}", float_text(bits & 0xffff0000), float_text(bits << 16));
  return fmt::format("{}, {}", half_text(bits >> 16), half_text(bits & 0xffff));
}

}  // namespace heddle::isa
