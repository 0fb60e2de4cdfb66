// Streams, and the host functions in them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/cudart/graphs.hpp"
#include "gpu/runtime/device_properties.hpp"

namespace heddle::runtime {

namespace {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;

using HostFunction = void (*)(void* data);

Error create(abi::Handle* stream, unsigned flags, int priority) {
  return on_device([&](Context& context) {
    if (stream == nullptr || (flags & ~abi::kStreamNonBlocking) != 0) return Error::invalid_value;
    const auto made =
        context.create_stream(flags, std::clamp(priority, kGreatestPriority, kLeastPriority));
    made->made_in = Runtime::thread().contexts.current();
    *stream = made.get();
    return Error::success;
  });
}

bool is_capture_mode(int mode) {
  return mode >= 0 && mode <= static_cast<int>(CaptureMode::relaxed);
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
  return on_device([&](Context& current) {
    const auto found =
        in_any_context(current, [&](Context& each) { return each.destroy_stream(stream); });
    return found.found ? Error::success : Error::invalid_resource_handle;
  });
}

HEDDLE_STREAM_API(cudaStreamSynchronize, _ptsz, (abi::Handle stream), (stream)) {
  return on_stream(stream, kStreamZero, [](Context& context, Stream& in) {
    const Error refused = context.refuse_unsafe(Runtime::thread().capture_mode);
    return refused == Error::success ? context.synchronize(in) : refused;
  });
}

HEDDLE_STREAM_API(cudaStreamQuery, _ptsz, (abi::Handle stream), (stream)) {
  const auto query = [](Context& context, Stream& in) {
    const Error refused = context.refuse_unsafe(Runtime::thread().capture_mode);
    if (refused != Error::success) return refused;
    return context.idle(in) ? context.synchronize(in) : Error::not_ready;
  };
  return on_stream(stream, kStreamZero, query, HostFunctions::by_the_driver);
}

HEDDLE_STREAM_API(cudaStreamWaitEvent, _ptsz,
                  (abi::Handle stream, abi::Handle event, unsigned flags), (stream, event, flags)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    constexpr unsigned kExternal = 1;  // a node of the graph that the stream captures
    const auto found =
        in_any_context(context, [&](Context& each) { return each.event(event); }).found;
    if (!found) return Error::invalid_resource_handle;
    if (flags > kExternal) return Error::invalid_value;
    if (flags == kExternal) {
      if (!in.capture) return Error::illegal_state;
      in.add_to_capture(NodeType::event_wait, [found](Context& here, Stream& on) {
        here.wait(on, *found);
        return Error::success;
      });
      return Error::success;
    }
    if (const Error error = context.join_capture(in, *found); error != Error::success) return error;
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
    context.call_program(in, [=] { execute_host_function([&] { function(data); }); });
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamAddCallback, _ptsz,
                  (abi::Handle stream, StreamCallback callback, void* data, unsigned flags),
                  (stream, callback, data, flags)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    if (callback == nullptr || flags != 0) return Error::invalid_value;
    if (in.capture) {  // no graph has such nodes
      in.capture->invalidated = true;
      return Error::stream_capture_unsupported;
    }
    // An H200 calls none once the context is of no use.
    context.call_program(
        in, [=] { execute_host_function([&] { callback(stream, Error::success, data); }); });
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
  return on_stream(stream, kStreamZero, [&](Context& context, Stream&) {
    if (device == nullptr) return Error::invalid_value;
    *device = static_cast<int>(context.gpu());
    return Error::success;
  });
}

// Attributes of streams are hints: where to keep data, how to wait. They are told when asked.
namespace {

enum StreamAttribute : int {
  kWindow = 1,
  kSynchronization = 3,
  kPriority = 8,
  kDomains = 9,
  kDomain = 10
};
using AttributeValue = std::array<std::byte, 64>;

AttributeValue first_value(const Stream& stream, int attribute) {
  AttributeValue value{};
  const auto start_with = [&](int number) { std::memcpy(value.data(), &number, sizeof number); };
  if (attribute == kSynchronization) start_with(-1);
  if (attribute == kPriority) start_with(stream.priority);
  if (attribute == kDomains) start_with(1 << 8);  // as themselves: 0 is 0, 1 is 1
  return value;
}

bool is_attribute(int attribute) {
  return attribute == kWindow || attribute == kSynchronization || attribute == kPriority ||
         attribute == kDomains || attribute == kDomain;
}

struct AccessWindow {
  void* base;
  std::size_t bytes;
};

bool acceptable(const Context& context, int attribute, const void* value) {
  int number = 0;
  std::memcpy(&number, value, sizeof number);
  if (attribute == kSynchronization) return number >= 1 && number <= 4;
  AccessWindow window;
  std::memcpy(&window, value, sizeof window);
  constexpr int kMostBytes = 109;  // cudaDevAttrMaxAccessPolicyWindowSize
  return attribute != kWindow ||
         window.bytes <=
             static_cast<std::size_t>(device_attribute(context.model(), kMostBytes).value_or(0));
}

}  // namespace

HEDDLE_STREAM_API(cudaStreamSetAttribute, _ptsz,
                  (abi::Handle stream, int attribute, const void* value),
                  (stream, attribute, value)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    if (value == nullptr || !is_attribute(attribute) || !acceptable(context, attribute, value))
      return Error::invalid_value;
    std::memcpy(in.attributes[attribute].data(), value, sizeof(AttributeValue));
    if (attribute == kPriority) {
      std::memcpy(&in.priority, value, sizeof in.priority);
      in.priority = std::clamp(in.priority, kGreatestPriority, kLeastPriority);
    }
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamGetAttribute, _ptsz, (abi::Handle stream, int attribute, void* value),
                  (stream, attribute, value)) {
  return on_stream(stream, kStreamZero, [&](Context&, Stream& in) {
    if (value == nullptr || !is_attribute(attribute)) return Error::invalid_value;
    const auto set = in.attributes.find(attribute);
    const AttributeValue told =
        set == in.attributes.end() ? first_value(in, attribute) : set->second;
    std::memcpy(value, told.data(), sizeof told);
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamCopyAttributes, _ptsz, (abi::Handle to, abi::Handle from), (to, from)) {
  return on_stream(to, kStreamZero, [&](Context& context, Stream& in) {
    const auto other = context.stream(from, kStreamZero);
    if (!other) return Error::invalid_resource_handle;
    in.attributes = other->attributes;
    return Error::success;
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
    const bool legacy = context.stream(nullptr, DefaultStream::legacy).get() == &in;
    if (legacy) return Error::stream_capture_unsupported;
    if (!is_capture_mode(mode)) return Error::invalid_value;
    return context.begin_capture(in, std::make_shared<Graph>(), static_cast<CaptureMode>(mode));
  });
}

// What follows a capture's next node, as the program may see and change it. The list is the
// stream's own, until its next call.
HEDDLE_STREAM_API(cudaStreamGetCaptureInfo, _ptsz,
                  (abi::Handle stream, int* status, unsigned long long* id, abi::Handle* graph,
                   const abi::Handle** after, const void** edges, std::size_t* count),
                  (stream, status, id, graph, after, edges, count)) {
  return on_stream(stream, kStreamZero, [&](Context&, Stream& in) {
    constexpr int kNone = 0, kActive = 1, kInvalidated = 2;
    if (status == nullptr) return Error::invalid_value;
    *status = !in.capture ? kNone : in.capture->invalidated ? kInvalidated : kActive;
    if (*status != kActive) return Error::success;
    keep(in.capture);
    if (id != nullptr) *id = in.capture->capture ? in.capture->capture->id : 0;
    if (graph != nullptr) *graph = in.capture.get();
    if (after != nullptr)
      *after =
          reinterpret_cast<const abi::Handle*>(const_cast<GraphNode**>(in.captured_last.data()));
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = in.captured_last.size();
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamUpdateCaptureDependencies, _ptsz,
                  (abi::Handle stream, abi::Handle* nodes, const void* edges, std::size_t count,
                   unsigned flags),
                  (stream, nodes, edges, count, flags)) {
  return on_stream(stream, kStreamZero, [&](Context&, Stream& in) {
    constexpr unsigned kSet = 1;
    if (!in.capture) return Error::illegal_state;
    if (flags > kSet || edges != nullptr || (nodes == nullptr && count != 0))
      return Error::invalid_value;
    std::vector<const GraphNode*> next;
    if (flags != kSet) next = in.captured_last;
    for (std::size_t i = 0; i < count; ++i) {
      if (!in.capture->contains(nodes[i])) return Error::invalid_value;
      const auto* const node = static_cast<const GraphNode*>(nodes[i]);
      if (std::ranges::find(next, node) == next.end()) next.push_back(node);
    }
    in.captured_last = std::move(next);
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamBeginCaptureToGraph, _ptsz,
                  (abi::Handle stream, abi::Handle handle, const abi::Handle* after,
                   const void* edges, std::size_t count, int mode),
                  (stream, handle, after, edges, count, mode)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    const auto graph = find_graph(handle);
    if (!graph || edges != nullptr || (after == nullptr && count != 0) || !is_capture_mode(mode))
      return Error::invalid_value;
    for (std::size_t i = 0; i < count; ++i)
      if (!graph->contains(after[i])) return Error::invalid_value;
    const Error error = context.begin_capture(in, graph, static_cast<CaptureMode>(mode));
    if (error != Error::success) return error;
    for (std::size_t i = 0; i < count; ++i)
      in.captured_last.push_back(static_cast<const GraphNode*>(after[i]));
    return Error::success;
  });
}

HEDDLE_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  return api([&] {
    if (mode == nullptr || !is_capture_mode(*mode)) return Error::invalid_value;
    CaptureMode& mine = Runtime::thread().capture_mode;
    *mode = static_cast<int>(std::exchange(mine, static_cast<CaptureMode>(*mode)));
    return Error::success;
  });
}

}  // namespace heddle::runtime
