// Numbers of a Poisson distribution: by its inverse, or by a square histogram.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::runtime::libraries::curand {

// As NVIDIA documents.
inline constexpr double kGreatestMean = 400000;

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

// A share of the unit interval chooses a column; what of it lies below a threshold is the column's
// own number, the rest another's (G. Marsaglia and others, Journal of Statistical Software 11,
// 2004; A. Walker, ACM Transactions on Mathematical Software 3, 1977). That NVIDIA's library goes
// by one, has a column for each number whose probability is no zero in double precision, and in
// which order columns are filled, was found by what its generators of the host give
// (docs/python.md).
class SquareHistogram {
 public:
  explicit SquareHistogram(double mean) {
    const auto probability = [=](double k) {
      return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
    };
    double first = std::floor(mean), end = first;
    while (first > 0 && probability(first - 1) > 0) --first;
    while (probability(end) > 0) ++end;
    first_ = static_cast<std::uint32_t>(first);
    std::vector<double> left;
    for (double k = first; k < end; ++k) left.push_back(probability(k));
    fill(left);
  }
  std::uint32_t at(double share) const {
    const auto count = static_cast<double>(columns_.size());
    const auto i = std::min(static_cast<std::size_t>(share * count), columns_.size() - 1);
    const std::size_t number = share < columns_[i].threshold ? i : columns_[i].other;
    return first_ + static_cast<std::uint32_t>(number);
  }

 private:
  struct Column {
    double threshold = 2;  // a whole column
    std::size_t other = 0;
  };

  // From the first column on, again and again: what a column lacks comes from the last number that
  // still has a whole one.
  void fill(std::vector<double>& left) {
    const std::size_t count = left.size();
    const double whole = 1 / static_cast<double>(count);
    columns_.resize(count);
    std::vector<bool> filled(count);
    std::size_t donor = count;  // behind it
    for (bool any = true; any;) {
      any = false;
      for (std::size_t i = 0; i < count; ++i) {
        if (filled[i] || left[i] >= whole) continue;
        while (donor > 0 && (filled[donor - 1] || left[donor - 1] < whole)) --donor;
        if (donor == 0) return;
        columns_[i] = {static_cast<double>(i) * whole + left[i], donor - 1};
        left[donor - 1] -= whole - left[i];
        filled[i] = any = true;
      }
    }
  }

  std::uint32_t first_ = 0;
  std::vector<Column> columns_;
};

}  // namespace heddle::runtime::libraries::curand
