#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "simulator/launch/check_launch.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::simulator {

// A simulated GPU: a model and its memory. One launch runs at a time.
class Device {
 public:
  explicit Device(const GpuModel& model, GpuPlace place = {});
  ~Device();
  const GpuModel& model() const;
  const GpuPlace& place() const;
  DeviceMemory& memory();
  // As check_launch.
  std::optional<Refusal> check(const LaunchRequest& request) const;
  LaunchOutcome launch(const LaunchRequest& request, const LaunchOptions& options);
  // Makes the heap, of heap_bytes, if the module's code calls malloc and there is none; a launch
  // does it too. Throws std::bad_alloc when memory is full.
  void prepare(const Module& module);
  // Bytes of device printf output that may be pending; per-thread stack limit; bytes of the
  // heap that malloc in device code gives from. CUDA's defaults.
  std::uint64_t printf_bytes;
  std::uint64_t stack_limit = 1024;
  // Bytes of stack that a thread has, unless its kernel needs more: local memory that was enlarged
  // for a kernel is kept for later ones. (cudaDeviceLmemResizeToMax, of which CUDA's documentation
  // says that it is always so. Seven launches of code for debugging that calls itself, and traps
  // where its stack ends: three behind a kernel of larger frames end well on an H200, four trap.)
  std::uint64_t stack_bytes() const { return std::max(stack_limit, kept_frames_); }
  std::uint64_t heap_bytes = 8 << 20;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::uint64_t kept_frames_ = 0;  // bytes; the largest of the kernels launched so far
};

}  // namespace heddle::simulator
