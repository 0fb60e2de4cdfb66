// CUPTI's Range Profiler (on the device) and Profiler Host (names and values) APIs, as a
// measurement uses them.
#pragma once

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::cupti {

// Knows the counters, how to schedule them over passes, and how to turn raw counter data into
// values.
class CounterSet {
 public:
  // Those of `wanted` that the device has.
  CounterSet(CUcontext context, CUdevice device, const std::vector<std::string>& wanted);
  CounterSet(const CounterSet&) = delete;
  CounterSet& operator=(const CounterSet&) = delete;
  ~CounterSet() = default;  // CUPTI's host object lives as long as the process

  // In the order of names().
  std::vector<double> values(const std::vector<std::uint8_t>& counter_data);
  const std::vector<std::string>& names() const { return names_; }
  std::vector<const char*>& name_pointers() { return pointers_; }
  const std::vector<std::uint8_t>& config() const { return config_; }
  std::size_t passes() const { return passes_; }

 private:
  bool has(const std::string& name) const;
  void make_config();

  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> names_;
  std::vector<const char*> pointers_;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
};

// The range profiler of one context. One kernel launch is one range; its passes are made by the
// caller:
//   begin_launch, then start, launch, stop until stop says that was the last pass, then
//   counter_data.
class RangeProfiler {
 public:
  void enable(CUcontext context, CounterSet& counters);
  void disable();
  void begin_launch(const CounterSet& counters);
  void start();
  bool stop();
  const std::vector<std::uint8_t>& counter_data();
  // Null when not enabled.
  CUcontext context() const { return context_; }

 private:
  CUpti_RangeProfiler_Object* object_ = nullptr;
  CUcontext context_ = nullptr;
  std::vector<std::uint8_t> data_;
};

}  // namespace heddle::cupti
