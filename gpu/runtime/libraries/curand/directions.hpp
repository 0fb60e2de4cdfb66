// The tables of Sobol's generators, of 32 and of 64 bits.
#pragma once

#include <cstdint>

namespace heddle::runtime::libraries::curand {

// As many as Boost has of S. Joe's and F. Kuo's. NVIDIA's tables have 20,000.
inline constexpr int kMostDimensions = 3667;

// `8 * sizeof(Int)` directions of each dimension, one dimension after another. Behind the last one
// lies memory that nobody may read, as far as NVIDIA's table would go.
template <typename Int>
const Int* directions();

// Scrambled: each dimension's directions are multiplied by a random matrix over the field of two
// elements, a triangular one (J. Matousek, Journal of Complexity 14, 1998); each dimension's point
// begins at a random number. Which ones is not documented, and these are others than NVIDIA's.
template <typename Int>
const Int* scrambled_directions();
template <typename Int>
const Int* scramble_constants();

}  // namespace heddle::runtime::libraries::curand
