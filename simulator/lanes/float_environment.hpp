// The processor's floating-point mode while lane functions run.
#pragma once

#include <cstdint>

namespace heddle::simulator::lanes {

// Round to nearest, subnormals kept, no traps: what every lane function expects on entry, whatever
// the program around us has set (a host program built with -ffast-math flushes subnormals). Hold
// one per thread around the execution of a launch.
class FloatEnvironment {
 public:
  FloatEnvironment();
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  unsigned saved_;
};

// The C library's own mode, in a few cycles, for what the host computes while a program that has
// set another one waits for it: traps that the program has unmasked are not ours, nor is its
// rounding. The program's mode and flags come back at the end.
class DefaultEnvironment {
 public:
  DefaultEnvironment();
  ~DefaultEnvironment();
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

 private:
  unsigned saved_;         // MXCSR
  std::uint16_t control_;  // of the x87 unit, which the C library's functions set too
};

}  // namespace heddle::simulator::lanes
