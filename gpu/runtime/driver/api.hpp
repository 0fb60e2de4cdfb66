// What every function of libcuda.so.1 is made of. It stands on the runtime interface's functions:
// one context for each device, whatever handle it goes by.
#pragma once

#include <cstdint>

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
// The calling thread's context if it is of that device; else the device's primary one.
abi::Handle context_of(int device);

// The numbers from 100 on are the same; of those below, the runtime has more.
Result result_of(Error error);

// The result of calls to the runtime interface; they leave nothing for its cudaGetLastError.
template <typename Body>
Result forward(Body body) noexcept {
  const Error before = cudaPeekAtLastError();
  ++support().current().driver_calls;
  const Error error = body();
  --support().current().driver_calls;
  if (before == Error::success) cudaGetLastError();  // of any call that `body` made
  return result_of(error);
}

// Whether the calling thread works in some context.
bool has_context();
// Of a call that a GPU refuses without one.
template <typename Body>
Result in_context(Body body) noexcept {
  return has_context() ? forward(body) : Result::CUDA_ERROR_INVALID_CONTEXT;
}

template <bool kPerThread>
abi::Handle in_stream(abi::Handle stream) {
  return kPerThread && stream == nullptr ? reinterpret_cast<abi::Handle>(abi::kStreamPerThread)
                                         : stream;
}

}  // namespace heddle::runtime::driver
