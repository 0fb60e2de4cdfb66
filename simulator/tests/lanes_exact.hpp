// Floating-point results from exact arithmetic: numbers as integers of several thousand bits, one
// rounding at the end. Slow, and written unlike the lane functions.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::simulator::lanes {

__extension__ using Wide = unsigned __int128;

// An IEEE binary format by its field widths.
struct FloatFormat {
  unsigned exponent_bits, fraction_bits;
  std::uint64_t nan;  // what a result that is not a number looks like

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
  std::uint64_t sign() const { return std::uint64_t{1} << (exponent_bits + fraction_bits); }
};
inline constexpr FloatFormat kBinary16{5, 10, 0x7fff};
inline constexpr FloatFormat kBfloat16{8, 7, 0x7fff};
inline constexpr FloatFormat kBinary32{8, 23, 0x7fffffff};
inline constexpr FloatFormat kBinary64{11, 52, 0xfff8000000000000};

enum class Round { nearest, down, up, zero };

// A finite number, exactly: sign and a magnitude in units of 2^-2200.
class Exact {
 public:
  Exact() = default;
  static Exact integer(std::uint64_t magnitude, bool negative);
  static Exact of(const FloatFormat& format, std::uint64_t bits);  // finite

  bool is_zero() const;
  bool negative() const { return negative_; }
  Exact times(const Exact& other) const;
  Exact times_power_of_two(int power) const;
  Exact plus(const Exact& other) const;
  int compare(const Exact& other) const;  // of values; -0 equals +0
  // The nearest integer's magnitude in this mode, saturated at 2^65.
  Wide magnitude_as_integer(Round round) const;
  // One rounding; overflow as IEEE has it.
  std::uint64_t rounded(const FloatFormat& format, Round round) const;

 private:
  bool bit(int position) const;
  bool any_below(int position) const;
  int top() const;  // position of the highest set bit; -1: zero

  bool negative_ = false;
  std::vector<std::uint32_t> limbs_;  // bit i of the magnitude is 2^(i - kPoint)
};

// IEEE operations with NaN results canonical.
std::uint64_t exact_fma(const FloatFormat& format, std::uint64_t a, std::uint64_t b,
                        std::uint64_t c, Round round);
std::uint64_t exact_add(const FloatFormat& format, std::uint64_t a, std::uint64_t b, Round round);
std::uint64_t exact_multiply(const FloatFormat& format, std::uint64_t a, std::uint64_t b,
                             Round round);
std::uint64_t exact_convert(const FloatFormat& from, std::uint64_t bits, const FloatFormat& to,
                            Round round);

bool is_nan(const FloatFormat& format, std::uint64_t bits);
bool is_infinity(const FloatFormat& format, std::uint64_t bits);
// A NaN's sign and leading payload bits in another format, quiet.
std::uint64_t quiet_nan(const FloatFormat& from, std::uint64_t bits, const FloatFormat& to);
// Subnormals to zeros of their sign.
std::uint64_t flush(const FloatFormat& format, std::uint64_t bits);

}  // namespace heddle::simulator::lanes
