// What every exported function is made of.
#pragma once

#include <exception>
#include <new>

#include "gpu/runtime/crash_report.hpp"
#include "gpu/runtime/cudart/runtime.hpp"
#include "gpu/runtime/graph_api.hpp"
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
  Runtime::initialise_driver();
  report_full_stack();
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

// Few calls are permitted to the host functions of streams, and a few more of the driver's
// (gpu/runtime/tests/answers/host_functions.cu).
enum class HostFunctions { no, by_the_driver, yes };
inline bool in_host_function() { return Runtime::thread().contexts.host_functions != 0; }
inline bool is_permitted(HostFunctions to) {
  return !in_host_function() || to == HostFunctions::yes ||
         (to == HostFunctions::by_the_driver && Runtime::thread().contexts.driver_calls != 0);
}

// The program's, in a stream.
template <typename Function>
void execute_host_function(Function function) {
  struct Inside {
    unsigned& depth = Runtime::thread().contexts.host_functions;
    Inside() { ++depth; }
    ~Inside() { --depth; }  // also where the program throws
  };
  const Inside inside;
  function();
}

// The same for a call that needs the device.
template <typename Body>
Error on_device(Body body, HostFunctions permitted = HostFunctions::no) noexcept {
  return api([&]() -> Error {
    Runtime& runtime = Runtime::instance();
    const auto context = runtime.context();
    if (!context)
      return runtime.has_context() ? Error::initialization_error : Error::cudart_unloading;
    if (!runtime.work_in_context()) return Error::device_uninitialized;
    if (!is_permitted(permitted)) return Error::not_permitted;
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

// What a handle of the program stands for, and the context that has it.
template <typename Found>
struct InContext {
  Context* context = nullptr;
  Found found{};
  std::shared_ptr<Context> kept{};
};

// `find(Context&)` of the calling thread's context or, where that gives null, of other GPUs'.
template <typename Find>
auto in_any_context(Context& current, Find find) {
  InContext<decltype(find(current))> result{&current, find(current)};
  Runtime& runtime = Runtime::instance();
  for (unsigned gpu = 0; gpu < runtime.gpus() && !result.found; ++gpu) {
    if (gpu == current.gpu()) continue;
    const auto other = runtime.context_if_any(gpu);
    if (other) result = {other.get(), find(*other), other};
  }
  return result;
}

// … and a stream that the program named, of whichever GPU.
template <typename Body>
Error on_stream(abi::Handle handle, DefaultStream meaning, Body body,
                HostFunctions permitted = HostFunctions::no) noexcept {
  const auto with_current = [&](Context& current) -> Error {
    const auto in =
        in_any_context(current, [&](Context& each) { return each.stream(handle, meaning); });
    if (!in.found) return Error::invalid_resource_handle;
    if (in.context->status() != Error::success) return in.context->status();
    const Error refused = in.context->refuse_implicit(*in.found);
    return refused == Error::success ? body(*in.context, *in.found) : refused;
  };
  return on_device(with_current, permitted);
}

// Calls `body(Context&)` with the context of a GPU by its number.
template <typename Body>
Error on_gpu(int number, Body body) noexcept {
  return on_device([&](Context& current) -> Error {
    Runtime& runtime = Runtime::instance();
    if (!runtime.has_gpu(number)) return Error::invalid_device;
    if (static_cast<unsigned>(number) == current.gpu()) return body(current);
    const auto context = runtime.context(static_cast<unsigned>(number));
    return context ? body(*context) : Error::cudart_unloading;
  });
}

// … with that of the GPU whose memory is at an address; with `current` where there is none.
template <typename Body>
Error on_owner(Context& current, const void* pointer, Body body) {
  const auto block = current.find_memory(reinterpret_cast<std::uint64_t>(pointer));
  if (!block || block->gpu == current.gpu()) return body(current);
  const auto owner = Runtime::instance().context_if_any(block->gpu);
  if (owner && owner->status() != Error::success) return owner->status();
  return body(owner ? *owner : current);
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
