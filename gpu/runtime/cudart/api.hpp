// What every exported function is made of.
#pragma once

#include <exception>
#include <new>

#include "gpu/runtime/cudart/runtime.hpp"
#include "simulator/lanes/float_environment.hpp"

// An exported function. The version script names what libcudart.so.13 exports, so that a misspelt
// one stays inside and a test misses it.
#define HEDDLE_API extern "C" __attribute__((visibility("default")))

// A function that takes a stream, or stands in one: with `suffix` it exists a second time, for
// programs compiled with --default-stream per-thread. The body sees which as kStreamZero.
#define HEDDLE_STREAM_API(name, suffix, parameters, arguments)                              \
  template <DefaultStream kStreamZero>                                                      \
  static Error name##_with parameters;                                                      \
  HEDDLE_API Error name parameters { return name##_with<DefaultStream::legacy> arguments; } \
  HEDDLE_API Error name##suffix parameters {                                                \
    return name##_with<DefaultStream::per_thread> arguments;                                \
  }                                                                                         \
  template <DefaultStream kStreamZero>                                                      \
  static Error name##_with parameters

namespace heddle::runtime {

// Runs the body of a call: keeps its error as the thread's last one, lets no exception out.
template <typename Body>
Error api(Body body) noexcept {
  const simulator::lanes::DefaultEnvironment environment;
  Error error;
  try {
    error = body();
  } catch (const std::bad_alloc&) {
    error = Error::memory_allocation;
  } catch (const std::exception& bad) {
    Runtime::instance().notice(bad.what());
    error = Error::unknown;
  }
  // "Not ready" is an answer: it is not kept.
  if (error != Error::success && error != Error::not_ready) Runtime::thread().last_error = error;
  return error;
}

// The same for a call that needs the device.
template <typename Body>
Error on_device(Body body) noexcept {
  return api([&]() -> Error {
    Runtime& runtime = Runtime::instance();
    const auto context = runtime.context();
    if (!context)
      return runtime.has_context() ? Error::initialization_error : Error::cudart_unloading;
    if (context->inside_action()) return Error::not_permitted;
    if (context->status() != Error::success) return context->status();
    return body(*context);
  });
}

// … that CUDA does not allow while streams capture (cudaThreadExchangeStreamCaptureMode).
template <typename Body>
Error on_device_uncaptured(Body body) noexcept {
  return on_device([&](Context& context) -> Error {
    const Error refused = context.refuse_unsafe(Runtime::thread().capture_mode);
    return refused == Error::success ? body(context) : refused;
  });
}

// … and a stream that the program named.
template <typename Body>
Error on_stream(abi::Handle handle, DefaultStream meaning, Body body) noexcept {
  return on_device([&](Context& context) -> Error {
    const auto stream = context.stream(handle, meaning);
    if (!stream) return Error::invalid_resource_handle;
    const Error refused = context.refuse_implicit(*stream);
    return refused == Error::success ? body(context, *stream) : refused;
  });
}

// … and a kernel.
template <typename Body>
Error on_function(const void* handle, Body body) noexcept {
  return on_device([&](Context& context) -> Error {
    Function* function = nullptr;
    const Error error = Runtime::instance().function(handle, context, function);
    return error == Error::success ? body(context, *function) : error;
  });
}

// Says once that a name is not supported; the error to return.
Error not_supported(const char* name);

}  // namespace heddle::runtime
