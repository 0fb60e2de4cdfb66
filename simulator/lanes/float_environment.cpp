#include "simulator/lanes/float_environment.hpp"

#include <xmmintrin.h>

namespace heddle::simulator::lanes {

namespace {
constexpr unsigned kAllExceptionsMasked = 0x1f80;  // and: round to nearest, no FTZ, no DAZ
}

FloatEnvironment::FloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(kAllExceptionsMasked); }
FloatEnvironment::~FloatEnvironment() { _mm_setcsr(saved_); }

}  // namespace heddle::simulator::lanes
