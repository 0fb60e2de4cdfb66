// Division by a number that stays: the host multiplies faster than it divides.
#pragma once

#include <cstdint>

namespace heddle::simulator::timing {

class Divisor {
 public:
  // Not 0.
  explicit Divisor(std::uint64_t value) : value_(value), reciprocal_(~std::uint64_t{0} / value) {}

  struct Parts {
    std::uint64_t quotient = 0, rest = 0;
  };
  Parts divide(std::uint64_t number) const {
    // The product with the reciprocal is at most one too small.
    std::uint64_t quotient = static_cast<std::uint64_t>(Wide{number} * reciprocal_ >> 64);
    std::uint64_t rest = number - quotient * value_;
    if (rest >= value_) {
      ++quotient;
      rest -= value_;
    }
    return {quotient, rest};
  }
  std::uint64_t quotient(std::uint64_t number) const { return divide(number).quotient; }
  std::uint64_t rest(std::uint64_t number) const { return divide(number).rest; }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t value_, reciprocal_;
};

}  // namespace heddle::simulator::timing
