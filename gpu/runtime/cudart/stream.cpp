// Streams, and the host functions in them.
#include <algorithm>
#include <cstring>

#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;

using HostFunction = void (*)(void* data);
using StreamCallback = void (*)(abi::Handle stream, Error status, void* data);

Error create(abi::Handle* stream, unsigned flags, int priority) {
  return on_device([&](Context& context) {
    if (stream == nullptr || (flags & ~abi::kStreamNonBlocking) != 0) return Error::invalid_value;
    *stream =
        context.create_stream(flags, std::clamp(priority, kGreatestPriority, kLeastPriority)).get();
    return Error::success;
  });
}

template <typename Value, typename Get>
Error ask(abi::Handle handle, DefaultStream zero, Value* out, Get get) {
  return on_stream(handle, zero, [&](Context&, Stream& stream) {
    if (out == nullptr) return Error::invalid_value;
    *out = get(stream);
    return Error::success;
  });
}

}  // namespace

HEDDLE_API Error cudaStreamCreate(abi::Handle* stream) { return create(stream, 0, 0); }

HEDDLE_API Error cudaStreamCreateWithFlags(abi::Handle* stream, unsigned flags) {
  return create(stream, flags, 0);
}

HEDDLE_API Error cudaStreamCreateWithPriority(abi::Handle* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}

HEDDLE_API Error cudaStreamDestroy(abi::Handle stream) {
  return on_device([&](Context& context) {
    return context.destroy_stream(stream) ? Error::success : Error::invalid_resource_handle;
  });
}

HEDDLE_STREAM_API(cudaStreamSynchronize, _ptsz, (abi::Handle stream), (stream)) {
  return on_stream(stream, kStreamZero,
                   [](Context& context, Stream& in) { return context.synchronize(in); });
}

HEDDLE_STREAM_API(cudaStreamQuery, _ptsz, (abi::Handle stream), (stream)) {
  return on_stream(stream, kStreamZero, [](Context& context, Stream& in) {
    return context.idle(in) ? context.synchronize(in) : Error::not_ready;
  });
}

HEDDLE_STREAM_API(cudaStreamWaitEvent, _ptsz,
                  (abi::Handle stream, abi::Handle event, [[maybe_unused]] unsigned flags),
                  (stream, event, flags)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    const auto found = context.event(event);
    if (!found) return Error::invalid_resource_handle;
    found->join_capture(in);
    // What the event stands for was submitted before all that follows here (engine.hpp): only time
    // has to know.
    context.wait(in, *found);
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaLaunchHostFunc, _ptsz,
                  (abi::Handle stream, HostFunction function, void* data),
                  (stream, function, data)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    if (function == nullptr) return Error::invalid_value;
    context.call_host(in, [function, data](Error error) {
      if (error == Error::success) function(data);
    });
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamAddCallback, _ptsz,
                  (abi::Handle stream, StreamCallback callback, void* data, unsigned flags),
                  (stream, callback, data, flags)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    if (callback == nullptr || flags != 0) return Error::invalid_value;
    context.call_host(in, [=](Error error) { callback(stream, error, data); });
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamGetFlags, _ptsz, (abi::Handle stream, unsigned* flags),
                  (stream, flags)) {
  return ask(stream, kStreamZero, flags, [](const Stream& in) { return in.flags; });
}

HEDDLE_STREAM_API(cudaStreamGetPriority, _ptsz, (abi::Handle stream, int* priority),
                  (stream, priority)) {
  return ask(stream, kStreamZero, priority, [](const Stream& in) { return in.priority; });
}

HEDDLE_STREAM_API(cudaStreamGetId, _ptsz, (abi::Handle stream, unsigned long long* id),
                  (stream, id)) {
  return ask(stream, kStreamZero, id, [](const Stream& in) { return in.id; });
}

HEDDLE_STREAM_API(cudaStreamGetDevice, _ptsz, (abi::Handle stream, int* device), (stream, device)) {
  return ask(stream, kStreamZero, device, [](const Stream&) { return 0; });
}

// Attributes of streams are hints: where to keep data, how to wait.
HEDDLE_STREAM_API(cudaStreamSetAttribute, _ptsz,
                  (abi::Handle stream, [[maybe_unused]] int attribute, const void* value),
                  (stream, attribute, value)) {
  return on_stream(stream, kStreamZero, [&](Context&, Stream&) {
    return value != nullptr ? Error::success : Error::invalid_value;
  });
}

HEDDLE_STREAM_API(cudaStreamGetAttribute, _ptsz, (abi::Handle stream, int attribute, void* value),
                  (stream, attribute, value)) {
  return on_stream(stream, kStreamZero, [&](Context&, Stream& in) {
    constexpr std::size_t kValueBytes = 64;
    constexpr int kPriority = 8;
    if (value == nullptr) return Error::invalid_value;
    std::memset(value, 0, kValueBytes);
    if (attribute == kPriority) std::memcpy(value, &in.priority, sizeof in.priority);
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamCopyAttributes, _ptsz, (abi::Handle to, abi::Handle from), (to, from)) {
  return on_stream(to, kStreamZero, [&](Context& context, Stream&) {
    return context.stream(from, kStreamZero) ? Error::success : Error::invalid_resource_handle;
  });
}

HEDDLE_STREAM_API(cudaStreamIsCapturing, _ptsz, (abi::Handle stream, int* status),
                  (stream, status)) {
  return ask(stream, kStreamZero, status, [](const Stream& in) {
    constexpr int kNone = 0, kActive = 1, kInvalidated = 2;
    if (!in.capture) return kNone;
    return in.capture->invalidated ? kInvalidated : kActive;
  });
}

HEDDLE_STREAM_API(cudaStreamBeginCapture, _ptsz, (abi::Handle stream, int mode), (stream, mode)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    constexpr int kRelaxed = 2;
    const bool legacy = context.stream(nullptr, DefaultStream::legacy).get() == &in;
    if (legacy) return Error::stream_capture_unsupported;
    if (mode < 0 || mode > kRelaxed || in.capture) return Error::invalid_value;
    in.start_capture(std::make_shared<Graph>());
    return Error::success;
  });
}

HEDDLE_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  // Every call is allowed while a stream captures.
  return api([&] { return mode != nullptr ? Error::success : Error::invalid_value; });
}

}  // namespace heddle::runtime
