// A kernel of simulator/benchmarks/kernels on one SM of an H200, timed as a test wants it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator::timing {

class KernelOnOneSm {
 public:
  // alu_loop and divergent_loop (out, trips), stream (a, b, c, elements). `bytes`: of each array,
  // all of them `contents`.
  KernelOnOneSm(const std::string& name, std::uint64_t bytes, std::uint64_t trips, int contents = 0)
      : kernel_(module_.cubin().find_kernel(name)) {
    const bool streams = name == "stream";
    for (int i = 0; i < (streams ? 3 : 1); ++i) {
      words_.push_back(*device_.memory().allocate(bytes, "test"));
      std::memset(device_.memory().view(words_.back(), bytes), contents, bytes);
    }
    words_.push_back(streams ? bytes / 4 : trips);
  }

  LaunchOutcome run(std::uint32_t blocks, Options how, unsigned threads = 1,
                    std::uint32_t block = 256, Observer* observer = nullptr) {
    LaunchRequest request;
    request.module = &module_;
    request.kernel = kernel_;
    request.grid = {blocks, 1, 1};
    request.block = {block, 1, 1};
    request.parameters.resize(8 * words_.size());
    std::memcpy(request.parameters.data(), words_.data(), request.parameters.size());
    LaunchOptions options;
    options.settings.threads = threads;
    options.observer = observer;
    options.settings.timing = std::move(how);
    options.settings.timing->sms = 1;
    LaunchOutcome outcome = device_.launch(request, options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
    return outcome;
  }
  const DeviceMemory& memory() { return device_.memory(); }

 private:
  Device device_{gpu_model("h200")};
  Module module_{compiled_kernels("simulator/benchmarks/kernels/kernels.sm_90.cubin"),
                 "kernels.cubin", device_.memory()};
  const isa::Kernel* kernel_;
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::simulator::timing
