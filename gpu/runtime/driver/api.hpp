// What every function of libcuda.so.1 is made of. It stands on the runtime interface's functions:
// one context for each device, whatever handle it goes by. Programs come through entries.cpp, so
// that the driver is initialised here, and a context current where the function needs one.
#pragma once

#include <cstdint>

#include "driver_inner_names.hpp"
#include "gpu/runtime/driver/support.hpp"
#include "gpu/runtime/runtime_api.hpp"

#define HEDDLE_DRIVER_API extern "C" __attribute__((visibility("default")))

// A function that takes a stream: with `suffix` it exists a second time, for programs compiled with
// --default-stream per-thread, where stream 0 is the thread's. The body calls in_stream.
#define HEDDLE_DRIVER_STREAM_API(name, suffix, parameters, arguments)                      \
  template <bool kPerThread>                                                               \
  static Result name##_with parameters;                                                    \
  HEDDLE_DRIVER_API Result name parameters { return name##_with<false> arguments; }        \
  HEDDLE_DRIVER_API Result name##suffix parameters { return name##_with<true> arguments; } \
  template <bool kPerThread>                                                               \
  static Result name##_with parameters

namespace heddle::runtime::driver {

enum class Result : int {
#define HEDDLE_CUDA_RESULT(number, name) name = number,
#include "gpu/runtime/driver/results.inc"
#undef HEDDLE_CUDA_RESULT
};

using DevicePointer = std::uint64_t;

inline void* at(DevicePointer address) { return reinterpret_cast<void*>(address); }

extern "C" Result cuCtxGetCurrent(abi::Handle* context);
bool is_device(int number);

// The numbers from 100 on are the same; of those below, the runtime has more.
Result result_of(Error error);

// The result of calls to the runtime interface; they leave nothing for its cudaGetLastError.
template <typename Body>
Result forward(Body body) noexcept {
  ThreadContexts& mine = support().contexts();
  ++mine.driver_calls;
  const Error before = cudaPeekAtLastError();
  const Error error = body();
  if (before == Error::success) cudaGetLastError();  // of any call that `body` made
  --mine.driver_calls;
  return result_of(error);
}

template <bool kPerThread>
abi::Handle in_stream(abi::Handle stream) {
  return kPerThread && stream == nullptr ? reinterpret_cast<abi::Handle>(abi::kStreamPerThread)
                                         : stream;
}

}  // namespace heddle::runtime::driver
