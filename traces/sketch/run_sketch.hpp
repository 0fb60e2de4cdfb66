// Running compiled sketches: what a host program would do around a launch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "traces/sketch/compile.hpp"

namespace heddle::simulator {

class SketchProgram {
 public:
  // `origin` names the sketch. Throws std::bad_alloc where its tables do not fit in memory.
  SketchProgram(isa::sketch::Compiled compiled, std::string origin, const GpuModel& model);

  struct Array {
    std::string parameter;
    std::uint64_t address = 0, bytes = 0;
  };
  struct Ran {
    LaunchRequest request;
    LaunchOutcome outcome;
    std::vector<Array> arrays;  // in the order of the parameters
  };
  // Allocates and fills the launch's arrays, runs it, shows the result to `seen`, and frees them.
  // Throws std::runtime_error where the launch is refused, a file cannot be read or an array does
  // not fit; a fault of the kernel is in the outcome.
  // Before the launch, `begin` may look at the request and change the options.
  void run(const isa::sketch::CompiledLaunch& launch, std::uint64_t seed, LaunchOptions options,
           const std::function<void(const Ran&)>& seen,
           const std::function<void(const LaunchRequest&, LaunchOptions&)>& begin = {});

  const isa::sketch::Compiled& compiled() const { return compiled_; }
  Device& device() { return device_; }
  const Device& device() const { return device_; }
  const Module& module() const { return module_; }
  // Bytes of an array of a launch that is being shown.
  std::vector<std::byte> contents(const Array& array);

 private:
  isa::sketch::Compiled compiled_;
  Device device_;
  Module module_;
};

}  // namespace heddle::simulator
