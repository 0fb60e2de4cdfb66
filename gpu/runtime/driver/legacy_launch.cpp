// Launches as of before CUDA 4: a function's block and parameters are set first.
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/parameters.hpp"

namespace heddle::runtime::driver {
namespace {

struct Prepared {
  abi::Dim3 block{1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<char> parameters;
};

struct AllPrepared {
  std::mutex mutex;
  std::map<abi::Handle, Prepared> by_function;
};
AllPrepared& all_prepared() {
  static auto& only = *new AllPrepared;
  return only;
}

// Calls `body` with what was set of a function.
template <typename Body>
Result on(abi::Handle function, Body body) {
  if (function == nullptr) return Result::CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard lock(all_prepared().mutex);
  return body(all_prepared().by_function[function]);
}

Result put(abi::Handle function, int offset, const void* value, std::size_t bytes) {
  constexpr std::size_t kMost = 32764;
  if (offset < 0 || value == nullptr || static_cast<std::size_t>(offset) + bytes > kMost)
    return Result::CUDA_ERROR_INVALID_VALUE;
  return on(function, [&](Prepared& prepared) {
    const std::size_t end = static_cast<std::size_t>(offset) + bytes;
    if (prepared.parameters.size() < end) prepared.parameters.resize(end);
    std::memcpy(prepared.parameters.data() + offset, value, bytes);
    return Result::CUDA_SUCCESS;
  });
}

Result launch(abi::Handle function, int width, int height, abi::Handle stream) {
  if (width <= 0 || height <= 0) return Result::CUDA_ERROR_INVALID_VALUE;
  return on(function, [&](Prepared& prepared) {
    constexpr std::uintptr_t kBuffer = 1, kSize = 2;
    std::size_t bytes = prepared.parameters.size();
    void* extra[] = {reinterpret_cast<void*>(kBuffer), prepared.parameters.data(),
                     reinterpret_cast<void*>(kSize), &bytes, nullptr};
    const abi::LaunchConfig config{{static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
                                   prepared.block,
                                   prepared.shared_bytes,
                                   stream,
                                   nullptr,
                                   0};
    return forward([&] {
      const Parameters packed(function, nullptr, extra);
      if (!packed.fit()) return Error::launch_out_of_resources;
      return cudaLaunchKernelExC(&config, function, packed.pointers());
    });
  });
}

}  // namespace

HEDDLE_DRIVER_API Result cuFuncSetBlockShape(abi::Handle function, int x, int y, int z) {
  if (x <= 0 || y <= 0 || z <= 0) return Result::CUDA_ERROR_INVALID_VALUE;
  return on(function, [&](Prepared& prepared) {
    prepared.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
    return Result::CUDA_SUCCESS;
  });
}
HEDDLE_DRIVER_API Result cuFuncSetSharedSize(abi::Handle function, unsigned bytes) {
  return on(function, [&](Prepared& prepared) {
    prepared.shared_bytes = bytes;
    return Result::CUDA_SUCCESS;
  });
}
HEDDLE_DRIVER_API Result cuParamSetSize(abi::Handle function, unsigned bytes) {
  return on(function, [&](Prepared& prepared) {
    prepared.parameters.resize(bytes);
    return Result::CUDA_SUCCESS;
  });
}
HEDDLE_DRIVER_API Result cuParamSeti(abi::Handle function, int offset, unsigned value) {
  return put(function, offset, &value, sizeof value);
}
HEDDLE_DRIVER_API Result cuParamSetf(abi::Handle function, int offset, float value) {
  return put(function, offset, &value, sizeof value);
}
HEDDLE_DRIVER_API Result cuParamSetv(abi::Handle function, int offset, const void* value,
                                     unsigned bytes) {
  return put(function, offset, value, bytes);
}
HEDDLE_DRIVER_API Result cuLaunch(abi::Handle function) { return launch(function, 1, 1, nullptr); }
HEDDLE_DRIVER_API Result cuLaunchGrid(abi::Handle function, int width, int height) {
  return launch(function, width, height, nullptr);
}
HEDDLE_DRIVER_API Result cuLaunchGridAsync(abi::Handle function, int width, int height,
                                           abi::Handle stream) {
  return launch(function, width, height, stream);
}

}  // namespace heddle::runtime::driver
