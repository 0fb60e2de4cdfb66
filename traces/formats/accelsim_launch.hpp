// A kernel-N.traceg as a launch that can be timed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "simulator/base/mapped_file.hpp"
#include "simulator/device/device.hpp"
#include "simulator/device/traced_launch.hpp"
#include "traces/formats/accelsim_replay.hpp"

namespace heddle::traces {

// The GPU model that a trace is timed on where nobody chooses one: the first of its architecture.
// Throws std::runtime_error for a binary version that no model has.
const simulator::GpuModel& accelsim_gpu(std::uint32_t binary_version);

class AccelsimLaunch {
 public:
  // Its code is the kernel-N.cubin beside it, or is made from its lines (accelsim_code.hpp). Throws
  // std::runtime_error with file, line and what is wrong.
  explicit AccelsimLaunch(const std::filesystem::path& trace);

  const AccelsimKernel& kernel() const { return trace_.kernel; }
  // Makes the device. Throws std::runtime_error where the trace is of another architecture, or the
  // launch is not possible there.
  void place_on(const simulator::GpuModel& gpu);
  simulator::Device& device() { return *device_; }
  const simulator::LaunchRequest& request() const { return request_; }
  // After place_on. `options.settings.timing` must be set.
  simulator::LaunchOutcome time(const simulator::LaunchOptions& options,
                                simulator::timing::DeviceTime& time);

 private:
  std::filesystem::path file_;
  simulator::MappedFile mapped_;
  AccelsimText trace_;
  std::unique_ptr<simulator::Device> device_;
  std::unique_ptr<simulator::Module> module_;
  std::unique_ptr<AccelsimInstructions> instructions_;
  simulator::LaunchRequest request_;
  bool code_is_made_ = false;
};

}  // namespace heddle::traces
