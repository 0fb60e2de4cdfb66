// The processor's floating-point mode while lane functions run.
#pragma once

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

}  // namespace heddle::simulator::lanes
