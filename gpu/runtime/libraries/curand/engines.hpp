// The generators of cuRAND's host interface that are made of many sequences, one for each thread of
// NVIDIA's kernels. How each is seeded, how far apart its sequences lie and which function makes
// numbers of its bits are facts of NVIDIA's documentation and of its public device headers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::runtime::libraries::curand {

enum class Draw { integer, uniform, uniform_double, normal, normal_double };

// G. Marsaglia's XORWOW (Journal of Statistical Software 8, 2003); sequences are 2^67 apart.
class Xorwow {
 public:
  static constexpr int kInGroup = 1;
  // `steps` ahead in each of `count` sequences, and one step more in the first `ahead`.
  static std::vector<Xorwow> sequences(std::uint64_t seed, int count, std::uint64_t steps,
                                       int ahead);
  template <Draw kDraw>
  auto draw();

 private:
  using Words = std::array<std::uint32_t, 5>;
  friend struct XorwowMatrix;
  static void step(Words& words);
  std::uint32_t next();

  Words words_{};
  std::uint32_t counter_ = 0;
};

// P. L'Ecuyer's MRG32k3a (Operations Research 47, 1999); sequences are 2^76 apart.
class Mrg32k3a {
 public:
  static constexpr int kInGroup = 1;
  static std::vector<Mrg32k3a> sequences(std::uint64_t seed, int count, std::uint64_t steps,
                                         int ahead);
  template <Draw kDraw>
  auto draw();

 private:
  using Vector = std::array<std::uint64_t, 3>;
  double next();  // a whole number, from 1 on

  Vector first_{}, second_{};
};

// J. Salmon and others' Philox4x32-10 (SC11); the number of the sequence is part of its counter.
class Philox {
 public:
  static constexpr int kInGroup = 4;
  static std::vector<Philox> sequences(std::uint64_t seed, int count, std::uint64_t steps,
                                       int ahead);
  template <Draw kDraw>
  auto draw();

 private:
  std::array<std::uint32_t, 4> next();

  std::uint64_t seed_ = 0, counter_ = 0, sequence_ = 0;
};

}  // namespace heddle::runtime::libraries::curand

#include "gpu/runtime/libraries/curand/draws.hpp"
