// Numbers of a distribution from random bits, by the formulas of cuRAND's device headers.
#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "gpu/runtime/libraries/curand/engines.hpp"

namespace heddle::runtime::libraries::curand {

inline float uniform_of(std::uint32_t bits) {
  return static_cast<float>(bits) * 0x1p-32f + 0x1p-33f;
}
// 53 bits of two words.
inline std::uint64_t wide_of(std::uint32_t low, std::uint32_t high) {
  return low ^ (std::uint64_t{high} << 21);
}
inline double uniform_of(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>(wide_of(low, high)) * 0x1p-53 + 0x1p-54;
}

// The method of Box and Muller: two normal numbers of a radius and an angle.
inline std::array<float, 2> normal_pair(float uniform, float angle) {
  const float radius = std::sqrt(-2.0f * std::log(uniform));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
inline std::array<double, 2> normal_pair(double uniform, double half_turns) {
  const double radius = std::sqrt(-2.0 * std::log(uniform));
  const double angle = half_turns * std::numbers::pi;
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
inline std::array<float, 2> normal_pair_of(std::uint32_t x, std::uint32_t y) {
  constexpr float kTurn = 0x1p-32f * 2 * std::numbers::pi_v<float>;
  return normal_pair(uniform_of(x), static_cast<float>(y) * kTurn + kTurn / 2);
}
inline std::array<double, 2> normal_pair_of(std::uint32_t x0, std::uint32_t x1, std::uint32_t y0,
                                            std::uint32_t y1) {
  return normal_pair(uniform_of(x0, x1), static_cast<double>(wide_of(y0, y1)) * 0x1p-52 + 0x1p-53);
}

// The normal number below which a share `p` of all lies.
inline double inverse_normal(double p) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

template <Draw kDraw>
auto Xorwow::draw() {
  if constexpr (kDraw == Draw::integer) {
    return std::array{next()};
  } else if constexpr (kDraw == Draw::uniform) {
    return std::array{uniform_of(next())};
  } else {
    const std::uint32_t x = next(), y = next();
    if constexpr (kDraw == Draw::uniform_double) {
      return std::array{uniform_of(x, y)};
    } else if constexpr (kDraw == Draw::normal) {
      return normal_pair_of(x, y);
    } else {
      const std::uint32_t z = next(), w = next();
      return normal_pair_of(x, y, z, w);
    }
  }
}

template <Draw kDraw>
auto Mrg32k3a::draw() {
  constexpr double kScale = 2.3283065498378288e-10;  // makes the greatest number 1
  constexpr double kToBits = 1.000000048662;
  if constexpr (kDraw == Draw::integer) {
    return std::array{static_cast<std::uint32_t>(next() * kToBits)};
  } else if constexpr (kDraw == Draw::uniform) {
    return std::array{static_cast<float>(next() * kScale)};
  } else if constexpr (kDraw == Draw::uniform_double) {
    return std::array{next() * kScale};
  } else {
    const double x = next() * kScale, y = next() * kScale;
    if constexpr (kDraw == Draw::normal)
      return normal_pair(static_cast<float>(x),
                         static_cast<float>(y) * 2 * std::numbers::pi_v<float>);
    else
      return normal_pair(x, 2 * y);
  }
}

template <Draw kDraw>
auto Philox::draw() {
  const auto x = next();
  if constexpr (kDraw == Draw::integer) {
    return x;
  } else if constexpr (kDraw == Draw::uniform) {
    return std::array{uniform_of(x[0]), uniform_of(x[1]), uniform_of(x[2]), uniform_of(x[3])};
  } else if constexpr (kDraw == Draw::normal) {
    const auto [a, b] = normal_pair_of(x[0], x[1]);
    const auto [c, d] = normal_pair_of(x[2], x[3]);
    return std::array{a, b, c, d};
  } else {
    const auto y = next();
    if constexpr (kDraw == Draw::uniform_double) {
      return std::array{uniform_of(x[0], x[1]), uniform_of(x[2], x[3]), uniform_of(y[0], y[1]),
                        uniform_of(y[2], y[3])};
    } else {
      const auto [a, b] = normal_pair_of(x[0], x[1], x[2], x[3]);
      const auto [c, d] = normal_pair_of(y[0], y[1], y[2], y[3]);
      return std::array{a, b, c, d};
    }
  }
}

}  // namespace heddle::runtime::libraries::curand
