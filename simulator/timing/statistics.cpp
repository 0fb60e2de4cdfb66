#include "simulator/timing/statistics.hpp"

#include <array>
#include <numeric>

namespace heddle::simulator::timing {

double student(std::size_t freedom) {
  constexpr std::array kTable{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23,
                              2.20,  2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09};
  constexpr double kNormal = 1.96, kFurther = 2.04;
  if (freedom == 0) return kTable[0];
  if (freedom <= kTable.size()) return kTable[freedom - 1];
  return freedom <= 30 ? kTable.back() : freedom <= 60 ? kFurther : kNormal;
}

Spread spread(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() == 1) return {mean, mean * mean};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / (count - 1)};
}

}  // namespace heddle::simulator::timing
