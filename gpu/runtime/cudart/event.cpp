// Events.
#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

constexpr unsigned kKnownFlags =
    abi::kEventBlockingSync | abi::kEventDisableTiming | abi::kEventInterprocess;

// An event that was recorded in a capture stands for no work that could be waited for.
Error refuse_captured(const Event& event) {
  const auto graph = event.captured();
  if (!graph) return Error::success;
  graph->invalidated = true;
  return Error::captured_event;
}

template <typename Body>
Error on_event(abi::Handle handle, Body body) {
  const auto with_current = [&](Context& current) -> Error {
    const auto event = in_any_context(current, [&](Context& each) { return each.event(handle); });
    return event.found ? body(*event.context, *event.found) : Error::invalid_resource_handle;
  };
  return on_device(with_current, HostFunctions::yes);
}

template <typename Body>
Error on_event_uncaptured(abi::Handle handle, Body body) {
  return on_event(handle, [&](Context& context, Event& event) {
    Error refused = refuse_captured(event);
    if (refused == Error::success) refused = context.refuse_unsafe(Runtime::thread().capture_mode);
    return refused == Error::success ? body(context, event) : refused;
  });
}

// Of launches that are not timed. What is given depends on the work alone, never on the machine
// that simulates it: one warp instruction per cycle and scheduler of the whole GPU, and a
// microsecond for every launch or event, so that nobody divides by zero.
float placeholder_milliseconds(const Progress& start, const Progress& end) {
  const simulator::GpuModel& model = Runtime::instance().model();
  constexpr double kSchedulersPerSm = 4;
  const auto instructions = static_cast<double>(end.warp_instructions - start.warp_instructions);
  const auto actions = static_cast<double>(end.actions - start.actions);
  return static_cast<float>(instructions / (kSchedulersPerSm * model.sms * model.clock_khz) +
                            actions * 1e-3);
}

float modelled_milliseconds(const Progress& start, const Progress& end) {
  constexpr double kNanoPerMilli = 1e6;
  return static_cast<float>((end.nanoseconds - start.nanoseconds) / kNanoPerMilli);
}

Error record(abi::Handle event, abi::Handle stream, DefaultStream zero) {
  const auto at = [&](Context& context, Stream& in) {
    const auto found = context.event(event);
    if (!found) return Error::invalid_resource_handle;
    context.record(*found, in);
    return Error::success;
  };
  return on_stream(stream, zero, at, HostFunctions::by_the_driver);
}

}  // namespace

HEDDLE_API Error cudaEventCreateWithFlags(abi::Handle* event, unsigned flags) {
  return on_device([&](Context& context) {
    const bool shared = (flags & abi::kEventInterprocess) != 0;  // those have no time
    if (event == nullptr || (flags & ~kKnownFlags) != 0 ||
        (shared && (flags & abi::kEventDisableTiming) == 0))
      return Error::invalid_value;
    *event = context.create_event(flags).get();
    return Error::success;
  });
}

HEDDLE_API Error cudaEventCreate(abi::Handle* event) { return cudaEventCreateWithFlags(event, 0); }

HEDDLE_API Error cudaEventDestroy(abi::Handle event) {
  return on_device([&](Context& current) {
    const auto found =
        in_any_context(current, [&](Context& each) { return each.destroy_event(event); });
    return found.found ? Error::success : Error::invalid_resource_handle;
  });
}

HEDDLE_STREAM_API(cudaEventRecord, _ptsz, (abi::Handle event, abi::Handle stream),
                  (event, stream)) {
  return record(event, stream, kStreamZero);
}

HEDDLE_STREAM_API(cudaEventRecordWithFlags, _ptsz,
                  (abi::Handle event, abi::Handle stream, unsigned flags), (event, stream, flags)) {
  constexpr unsigned kExternal = 1;  // a node of the graph that the stream captures
  if (flags == 0) return record(event, stream, kStreamZero);
  if (flags != kExternal) return api([] { return Error::invalid_value; });
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    const auto found = context.event(event);
    if (!found) return Error::invalid_resource_handle;
    if (!in.capture) return Error::illegal_state;
    in.add_to_capture(NodeType::event_record, [found](Context& here, Stream& on) {
      here.record(*found, on);
      return Error::success;
    });
    return Error::success;
  });
}

HEDDLE_API Error cudaEventQuery(abi::Handle event) {
  return on_event_uncaptured(event, [](Context& context, Event& at) {
    return context.reached(at) ? context.synchronize(at) : Error::not_ready;
  });
}

HEDDLE_API Error cudaEventSynchronize(abi::Handle event) {
  return on_event_uncaptured(event,
                             [](Context& context, Event& at) { return context.synchronize(at); });
}

HEDDLE_API Error cudaEventElapsedTime(float* milliseconds, abi::Handle start, abi::Handle end) {
  return on_event(start, [&](Context& context, Event& from) {
    const auto to = context.event(end);
    if (milliseconds == nullptr) return Error::invalid_value;
    if (!to || ((from.flags() | to->flags()) & abi::kEventDisableTiming) != 0)
      return Error::invalid_resource_handle;
    if (from.captured() || to->captured()) return Error::captured_event;
    const auto first = from.recording(), second = to->recording();
    if (!first || !second) return Error::invalid_resource_handle;
    if (!context.reached(from) || !context.reached(*to)) return Error::not_ready;
    if (context.timed()) {
      *milliseconds = modelled_milliseconds(first->progress, second->progress);
      return Error::success;
    }
    Runtime::instance().notice_once(
        "launches are not timed (heddle run --timing on): cudaEventElapsedTime returns "
        "times derived from the number of instructions");
    *milliseconds = first->progress.actions <= second->progress.actions
                        ? placeholder_milliseconds(first->progress, second->progress)
                        : -placeholder_milliseconds(second->progress, first->progress);
    return Error::success;
  });
}

}  // namespace heddle::runtime
