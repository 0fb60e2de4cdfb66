// Writes launches of a context as capsules.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/runtime/capsule.hpp"
#include "gpu/runtime/launch_observer.hpp"
#include "simulator/base/display_names.hpp"

namespace heddle::runtime {

class CapsuleWriter : public LaunchObserver {
 public:
  // Makes the directory. Files are <launch>-<kernel>.capsule; launches of other kernels count, too.
  // `kernel` is as simulator::KernelFilter takes it. Throws std::filesystem::filesystem_error.
  explicit CapsuleWriter(std::filesystem::path directory, const std::string& kernel = {});

  bool one_launch_at_a_time() const override { return true; }
  void before(simulator::Device& device, const simulator::LaunchRequest& request) override;
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome) override;

 private:
  const std::filesystem::path directory_;
  const simulator::KernelFilter kernels_;
  std::uint64_t launches_ = 0;
  Capsule capsule_;  // of the launch that is running
};

// "0003-_Z11mathKernel1Pf.capsule": names come from code we did not write, so only letters, digits
// and underscores of them are kept.
std::string capsule_file_name(std::uint64_t launch, std::string_view kernel);

}  // namespace heddle::runtime
