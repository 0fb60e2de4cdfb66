// One way of measuring a launch. A program is run once per mode.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/cupti/allocations.hpp"
#include "gpu/cupti/fragment.hpp"
#include "gpu/cupti/launch.hpp"

namespace heddle::cupti {

// A global variable of the module a kernel belongs to.
struct Global {
  std::string name;
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  std::vector<std::uint64_t> function_pointers;  // offsets
};

// What the program has on the device when it launches.
struct DeviceMemory {
  const Allocations& allocations;
  const std::vector<Global>& globals;
};

class Mode {
 public:
  virtual ~Mode() = default;
  // Members for the record's header; called when the first launch is about to be made.
  virtual Members header(CUdevice device) = 0;
  // The device is idle before each of these and nothing else is launched between them.
  virtual void before(const Launch& launch, const DeviceMemory& memory, LaunchFragment& out) = 0;
  virtual void after(const Launch& launch, const DeviceMemory& memory, LaunchFragment& out) = 0;
  // The context is about to go away.
  virtual void context_ends(CUcontext) {}
};

std::unique_ptr<Mode> make_sass_mode();
std::unique_ptr<Mode> make_counters_mode();
std::unique_ptr<Mode> make_memory_mode();
std::unique_ptr<Mode> make_launches_mode();
std::unique_ptr<Mode> make_sampling_mode();
std::unique_ptr<Mode> make_timing_mode();

// How often the modes that sample do it: HEDDLE_MEASURE_REPEATS, or 5.
unsigned repeats();

void initialize_profiler();
// "GH100", as CUPTI names the chip.
std::string chip_name(CUdevice device);

}  // namespace heddle::cupti
