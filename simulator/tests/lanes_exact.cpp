#include "simulator/tests/lanes_exact.hpp"

#include <algorithm>

namespace heddle::simulator::lanes {
namespace {

// Products of FP64 subnormals reach down to 2^-2148, FP64 products up to 2^2048.
constexpr int kPoint = 2200;

using Limbs = std::vector<std::uint32_t>;

void trim(Limbs& limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

int compare_magnitudes(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

Limbs add_magnitudes(const Limbs& a, const Limbs& b) {
  Limbs sum(std::max(a.size(), b.size()) + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    carry += i < a.size() ? a[i] : 0;
    carry += i < b.size() ? b[i] : 0;
    sum[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  trim(sum);
  return sum;
}

Limbs subtract_magnitudes(const Limbs& larger, const Limbs& smaller) {
  Limbs difference = larger;
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    borrow += std::int64_t{difference[i]} - (i < smaller.size() ? smaller[i] : 0);
    difference[i] = static_cast<std::uint32_t>(borrow);
    borrow >>= 32;
  }
  trim(difference);
  return difference;
}

Limbs shifted(const Limbs& limbs, int left) {
  Limbs result;
  for (int i = 0; i < static_cast<int>(limbs.size()) * 32; ++i) {
    if ((limbs[static_cast<std::size_t>(i / 32)] >> (i % 32) & 1) == 0) continue;
    const int to = i + left;
    if (to < 0) continue;
    if (static_cast<std::size_t>(to / 32) >= result.size())
      result.resize(static_cast<std::size_t>(to / 32) + 1);
    result[static_cast<std::size_t>(to / 32)] |= 1u << (to % 32);
  }
  return result;
}

}  // namespace

Exact Exact::integer(std::uint64_t magnitude, bool negative) {
  Exact value;
  value.negative_ = negative;
  value.limbs_ = shifted(
      {static_cast<std::uint32_t>(magnitude), static_cast<std::uint32_t>(magnitude >> 32)}, kPoint);
  return value;
}

Exact Exact::of(const FloatFormat& format, std::uint64_t bits) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const auto exponent = static_cast<int>((bits & format.infinity()) >> format.fraction_bits);
  const std::uint64_t significand =
      exponent == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction_bits;
  const int power = std::max(exponent, 1) - format.bias() - static_cast<int>(format.fraction_bits);
  return integer(significand, (bits & format.sign()) != 0).times_power_of_two(power);
}

bool Exact::is_zero() const { return limbs_.empty(); }

Exact Exact::times_power_of_two(int power) const {
  Exact value;
  value.negative_ = negative_;
  value.limbs_ = shifted(limbs_, power);
  return value;
}

Exact Exact::times(const Exact& other) const {
  Limbs product(limbs_.size() + other.limbs_.size() + 1);
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    if (limbs_[i] == 0) continue;
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < other.limbs_.size() || carry != 0; ++j) {
      carry += product[i + j];
      if (j < other.limbs_.size()) carry += std::uint64_t{limbs_[i]} * other.limbs_[j];
      product[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  Exact value;
  value.negative_ = negative_ != other.negative_;
  value.limbs_ = shifted(product, -kPoint);
  return value;
}

Exact Exact::plus(const Exact& other) const {
  Exact sum;
  if (negative_ == other.negative_) {
    sum.negative_ = negative_;
    sum.limbs_ = add_magnitudes(limbs_, other.limbs_);
    return sum;
  }
  const int order = compare_magnitudes(limbs_, other.limbs_);
  const Exact& larger = order < 0 ? other : *this;
  const Exact& smaller = order < 0 ? *this : other;
  sum.negative_ = order != 0 && larger.negative_;
  sum.limbs_ = subtract_magnitudes(larger.limbs_, smaller.limbs_);
  return sum;
}

int Exact::compare(const Exact& other) const {
  const Exact difference = plus([&] {
    Exact opposite = other;
    opposite.negative_ = !opposite.negative_;
    return opposite;
  }());
  return difference.is_zero() ? 0 : difference.negative_ ? -1 : 1;
}

bool Exact::bit(int position) const {
  const auto limb = static_cast<std::size_t>(position / 32);
  return position >= 0 && limb < limbs_.size() && (limbs_[limb] >> (position % 32) & 1) != 0;
}

bool Exact::any_below(int position) const {
  for (int i = 0; i < position && i < static_cast<int>(limbs_.size()) * 32; ++i)
    if (bit(i)) return true;
  return false;
}

int Exact::top() const {
  for (int i = static_cast<int>(limbs_.size()) * 32; i-- > 0;)
    if (bit(i)) return i;
  return -1;
}

namespace {

bool rounds_away(Round round, bool negative, bool odd, bool half, bool sticky) {
  switch (round) {
    case Round::nearest:
      return half && (sticky || odd);
    case Round::down:
      return negative && (half || sticky);
    case Round::up:
      return !negative && (half || sticky);
    case Round::zero:
      return false;
  }
  return false;
}

}  // namespace

Wide Exact::magnitude_as_integer(Round round) const {
  Wide value = 0;
  if (top() > kPoint + 64) {
    value = 1;
    return value << 65;
  }
  for (int i = top(); i >= kPoint; --i) value = value << 1 | (bit(i) ? 1 : 0);
  const bool away =
      rounds_away(round, negative_, (value & 1) != 0, bit(kPoint - 1), any_below(kPoint - 1));
  return value + (away ? 1 : 0);
}

std::uint64_t Exact::rounded(const FloatFormat& format, Round round) const {
  const std::uint64_t sign = negative_ ? format.sign() : 0;
  if (is_zero()) return sign;
  const auto fraction_bits = static_cast<int>(format.fraction_bits);
  const int lowest_normal = kPoint + 1 - format.bias();
  const int leading = std::max(top(), lowest_normal);
  const int unit = leading - fraction_bits;  // the last place kept
  std::uint64_t significand = 0;
  for (int i = leading; i >= unit; --i) significand = significand << 1 | (bit(i) ? 1 : 0);
  if (rounds_away(round, negative_, (significand & 1) != 0, bit(unit - 1), any_below(unit - 1)))
    ++significand;
  // A subnormal has exponent field 0; the carry of a significand moves the field up by itself.
  const auto field = static_cast<std::uint64_t>(leading - lowest_normal);
  const std::uint64_t magnitude = (field << format.fraction_bits) + significand;
  if (magnitude < format.infinity()) return sign | magnitude;
  const bool stays_finite = round == Round::zero || (round == Round::down && !negative_) ||
                            (round == Round::up && negative_);
  return sign | (stays_finite ? format.infinity() - 1 : format.infinity());
}

bool is_nan(const FloatFormat& format, std::uint64_t bits) {
  return (bits & (format.sign() - 1)) > format.infinity();
}
bool is_infinity(const FloatFormat& format, std::uint64_t bits) {
  return (bits & (format.sign() - 1)) == format.infinity();
}
std::uint64_t quiet_nan(const FloatFormat& from, std::uint64_t bits, const FloatFormat& to) {
  std::uint64_t result = to.infinity() | std::uint64_t{1} << (to.fraction_bits - 1);
  if ((bits & from.sign()) != 0) result |= to.sign();
  for (unsigned i = 1; i <= from.fraction_bits && i <= to.fraction_bits; ++i)
    result |= (bits >> (from.fraction_bits - i) & 1) << (to.fraction_bits - i);
  return result;
}
std::uint64_t flush(const FloatFormat& format, std::uint64_t bits) {
  return (bits & format.infinity()) == 0 ? bits & format.sign() : bits;
}

std::uint64_t exact_fma(const FloatFormat& format, std::uint64_t a, std::uint64_t b,
                        std::uint64_t c, Round round) {
  if (is_nan(format, a) || is_nan(format, b) || is_nan(format, c)) return format.nan;
  const std::uint64_t sign = (a ^ b) & format.sign();
  const auto is_zero = [&](std::uint64_t bits) { return (bits & (format.sign() - 1)) == 0; };
  if (is_infinity(format, a) || is_infinity(format, b)) {
    if (is_zero(a) || is_zero(b)) return format.nan;
    const std::uint64_t product = sign | format.infinity();
    return is_infinity(format, c) && c != product ? format.nan : product;
  }
  if (is_infinity(format, c)) return c;
  const Exact product = Exact::of(format, a).times(Exact::of(format, b));
  const Exact sum = product.plus(Exact::of(format, c));
  if (!sum.is_zero()) return sum.rounded(format, round);
  // Zeros of one sign keep it; opposite terms cancel to +0, rounding down to -0.
  const bool both_negative = product.negative() && (c & format.sign()) != 0;
  const bool both_positive = !product.negative() && (c & format.sign()) == 0;
  if (both_negative) return format.sign();
  if (both_positive) return 0;
  return round == Round::down ? format.sign() : 0;
}

std::uint64_t exact_add(const FloatFormat& format, std::uint64_t a, std::uint64_t b, Round round) {
  const auto one = static_cast<std::uint64_t>(format.bias()) << format.fraction_bits;
  return exact_fma(format, a, one, b, round);
}

std::uint64_t exact_multiply(const FloatFormat& format, std::uint64_t a, std::uint64_t b,
                             Round round) {
  // Adding a zero of the product's sign changes nothing.
  return exact_fma(format, a, b, (a ^ b) & format.sign(), round);
}

std::uint64_t exact_convert(const FloatFormat& from, std::uint64_t bits, const FloatFormat& to,
                            Round round) {
  if (is_nan(from, bits)) return to.nan;
  const std::uint64_t sign = (bits & from.sign()) != 0 ? to.sign() : 0;
  if (is_infinity(from, bits)) return sign | to.infinity();
  return Exact::of(from, bits).rounded(to, round);
}

}  // namespace heddle::simulator::lanes
