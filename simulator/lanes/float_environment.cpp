#include "simulator/lanes/float_environment.hpp"

#include <xmmintrin.h>

namespace heddle::simulator::lanes {

namespace {
constexpr unsigned kAllExceptionsMasked = 0x1f80;  // and: round to nearest, no FTZ, no DAZ
}

FloatEnvironment::FloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(kAllExceptionsMasked); }
FloatEnvironment::~FloatEnvironment() { _mm_setcsr(saved_); }

namespace {
constexpr std::uint16_t kDefaultControl = 0x37f;  // all exceptions masked, to nearest, 64 bits

void set_control(std::uint16_t control) { asm volatile("fldcw %0" : : "m"(control)); }
}  // namespace

DefaultEnvironment::DefaultEnvironment() : saved_(_mm_getcsr()) {
  asm volatile("fnstcw %0" : "=m"(control_));
  if (control_ != kDefaultControl) set_control(kDefaultControl);
  _mm_setcsr(kAllExceptionsMasked);
}

DefaultEnvironment::~DefaultEnvironment() {
  if (control_ != kDefaultControl) set_control(control_);
  _mm_setcsr(saved_);
}

}  // namespace heddle::simulator::lanes
