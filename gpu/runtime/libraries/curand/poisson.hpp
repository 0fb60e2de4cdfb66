// Numbers of a Poisson distribution, by its inverse.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::runtime::libraries::curand {

// Beyond it nothing of the distribution fits the 32 bits of a result with room to spare.
inline constexpr double kGreatestMean = 1e9;

class Poisson {
 public:
  explicit Poisson(double mean) {
    const double width = 12 * std::sqrt(mean) + 60;  // outside lies less than a share of 2^-54
    first_ = static_cast<std::uint32_t>(std::max(0.0, std::floor(mean - width)));
    const auto count = static_cast<std::size_t>(mean + width - first_);
    const double begin = first_;
    double part = std::exp(begin * std::log(mean) - mean - std::lgamma(begin + 1)), sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sums_.push_back(sum += part);
      part *= mean / (begin + static_cast<double>(i) + 1);
    }
  }
  // The least number up to which a share of at least `share` lies.
  std::uint32_t at(double share) const {
    const auto found = std::lower_bound(sums_.begin(), sums_.end() - 1, share);
    return first_ + static_cast<std::uint32_t>(found - sums_.begin());
  }

 private:
  std::uint32_t first_ = 0;
  std::vector<double> sums_;
};

}  // namespace heddle::runtime::libraries::curand
