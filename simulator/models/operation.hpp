// What an instruction of a compiled sketch is in the sketch: most are what they are, but some stand
// together for one operation that other machines do in another way.
#pragma once

#include <cstdint>

namespace heddle::isa::sketch {

enum class Operation : std::uint8_t {
  itself,
  part,           // of the operation that began before it
  division,       // of floats, a / b
  fast_division,  // __fdividef
  multiply24,     // __mul24, __umul24
  exponential,    // expf, exp2f
  logarithm,
  sine_cosine,
  square_root,
};

}  // namespace heddle::isa::sketch
