// Numbers as people read them.
#pragma once

#include <cmath>
#include <string>

namespace heddle::simulator {

// 1234567 as 1,234,567; ratios with two decimals.
std::string readable(double value);
// The nearest whole number, as 1,234,567.
template <typename Number>
std::string readable_whole(Number value) {
  return readable(std::round(static_cast<double>(value)));
}

}  // namespace heddle::simulator
