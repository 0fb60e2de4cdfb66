// Inputs biased towards the edges of the numbers an instruction works on.
#pragma once

#include <cstdint>
#include <functional>
#include <random>

namespace heddle::simulator::lanes {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Generator = std::function<u64(std::mt19937_64&)>;

// Words at and around powers of two, small numbers, runs of ones, and noise.
u64 edgy_integer(std::mt19937_64& random);
// Two of them, or a 64-bit one.
u64 edgy_integer64(std::mt19937_64& random);
// FP32: zeros, subnormals, limits, infinities, NaNs, neighbours of powers of two, ties, noise.
u64 edgy_float32(std::mt19937_64& random);
u64 edgy_float64(std::mt19937_64& random);
// Two FP16 in a word.
u64 edgy_half2(std::mt19937_64& random);

}  // namespace heddle::simulator::lanes
