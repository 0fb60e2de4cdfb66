#include "simulator/base/display_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace heddle::simulator {

std::string readable(double value) {
  if (std::nearbyint(value) != value || std::abs(value) >= 9007199254740992.0)
    return fmt::format("{:.2f}", value);
  const std::string plain = fmt::format("{:.0f}", std::abs(value));
  std::string digits;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i != 0 && (plain.size() - i) % 3 == 0) digits += ',';
    digits += plain[i];
  }
  return fmt::format("{}{}", value < 0 ? "-" : "", digits);
}

}  // namespace heddle::simulator
