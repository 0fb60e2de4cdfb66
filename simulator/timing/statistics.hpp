// What is said of a mean by a few values.
#pragma once

#include <span>

namespace heddle::simulator::timing {

// Student's t, two-sided 95 %, by degrees of freedom.
double student(std::size_t freedom);

struct Spread {
  double mean = 0;
  double variance = 0;  // of one value; of a single one its square
};
Spread spread(std::span<const double> values);  // at least one

}  // namespace heddle::simulator::timing
