#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/runtime/context.hpp"
#include "gpu/runtime/crash_report.hpp"
#include "gpu/runtime/program_call.hpp"

namespace heddle::runtime {

std::shared_ptr<Stream> Context::create_stream(unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  stream->gpu = gpu();
  std::lock_guard lock(mutex_);
  stream->id = next_stream_id_++;
  streams_[stream.get()] = stream;
  return stream;
}

std::shared_ptr<Stream> Context::stream(abi::Handle handle, DefaultStream meaning) {
  auto name = reinterpret_cast<std::uintptr_t>(handle);
  if (name == 0)
    name = meaning == DefaultStream::legacy ? abi::kStreamLegacy : abi::kStreamPerThread;
  if (name == abi::kStreamLegacy) return legacy_;
  std::lock_guard lock(mutex_);
  if (name == abi::kStreamPerThread) {
    std::shared_ptr<Stream>& mine = thread_streams_[std::this_thread::get_id()];
    if (!mine) {
      mine = std::make_shared<Stream>();
      mine->id = next_stream_id_++;
      mine->gpu = gpu();
    }
    return mine;
  }
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second;
}

bool Context::destroy_stream(abi::Handle handle) {
  // Work that is in it goes on; the engine does not need the stream for that.
  std::lock_guard lock(mutex_);
  std::erase_if(captures_, [handle](const auto& graph) {  // one that ends in it does so now
    if (graph->capture->origin != handle) return false;
    graph->capture = std::nullopt;
    return true;
  });
  capture_count_ = captures_.size();
  return streams_.erase(handle) != 0;
}

Ticket Context::last_of(const Stream& stream) const {
  if (&stream != legacy_.get()) return stream.last;
  Ticket last = legacy_->last;
  std::lock_guard lock(mutex_);
  const auto include = [&last](const auto& entry) {
    if (entry.second->ordered_with_legacy()) last = std::max<Ticket>(last, entry.second->last);
  };
  std::ranges::for_each(streams_, include);
  std::ranges::for_each(thread_streams_, include);
  return last;
}

Error Context::synchronize(Stream& stream) {
  if (stream.capture) {
    stream.capture->invalidated = true;
    return Error::stream_capture_unsupported;
  }
  const Error error = wait_for(last_of(stream));
  settle_pools();
  host_waited([order = order_of(stream)](const Timeline& time) { return time.done(order); });
  return error;
}

Error Context::synchronize() {
  std::list<Ticket> open;
  Ticket last = 0;
  {
    std::lock_guard lock(mutex_);
    open = open_;
    last = last_;
  }
  // What proceeded may be done before what came earlier. The last first: behind it there is mostly
  // nothing to wait for.
  for (auto each = open.rbegin(); each != open.rend(); ++each) engine_.wait(*each);
  const Error error = wait_for(last);
  settle_pools();
  host_waited([](const Timeline& time) { return time.all_done(); });
  return error;
}

bool Context::idle(Stream& stream) const { return engine_.done(last_of(stream)); }

std::shared_ptr<Event> Context::create_event(unsigned flags) {
  std::shared_ptr<SharedEvent> shared;
  if ((flags & abi::kEventInterprocess) != 0)
    shared = std::make_shared<SharedEvent>(SharedFile::create(sizeof(EventCounts)));
  auto event = std::make_shared<Event>(flags, std::move(shared));
  std::lock_guard lock(mutex_);
  events_[event.get()] = event;
  return event;
}

std::shared_ptr<Event> Context::event(abi::Handle handle) const {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second;
}

bool Context::destroy_event(abi::Handle handle) {
  std::lock_guard lock(mutex_);
  return events_.erase(handle) != 0;
}

void Context::record(Event& event, Stream& stream) {
  if (stream.capture) return event.record_capture(stream);
  auto recording = std::make_shared<Event::Recording>();
  const auto shared = event.shared();
  const std::uint64_t number = shared ? ++shared->counts().submitted : 0;
  recording->ticket =
      enqueue(after_host_waits([this, recording, shared, number, order = order_of(stream)](Ticket) {
                if (shared) raise_to(shared->counts().completed, number);
                ++progress_.actions;
                progress_.nanoseconds = timeline_.done(order);
                recording->progress = progress_;
              }),
              Engine::Length::brief, stream);
  event.set(std::move(recording));
}

bool Context::reached(const Event& event) const {
  if (const auto& shared = event.shared())
    return shared->counts().completed >= shared->counts().submitted;
  const auto recording = event.recording();
  return !recording || engine_.done(recording->ticket);
}

Error Context::synchronize(const Event& event) {
  wait_for_counts(event);
  const auto recording = event.recording();
  if (!recording) return status();
  const Error error = wait_for(recording->ticket);
  host_waited([recording](const Timeline&) { return recording->progress.nanoseconds; });
  return error;
}

void Context::wait(Stream& stream, const Event& event) {
  if (const auto shared = event.shared(); shared && !stream.capture) {
    const std::uint64_t wanted = shared->counts().submitted;
    submit(
        stream,
        [this, shared, wanted, place = place_of(stream)](Ticket) {
          wait_in(place, [&] { return shared->counts().completed >= wanted; });
        },
        Engine::Length::unbounded);
  }
  const auto recording = event.recording();
  if (!recording || stream.capture) return;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(stream.waits, [this](Ticket each) { return engine_.done(each); });
    if (!engine_.done(recording->ticket)) stream.waits.push_back(recording->ticket);
  }
  if (!timed()) return;
  submit(
      stream,
      [this, recording, order = order_of(stream)](Ticket) {
        timeline_.wait(order, recording->progress.nanoseconds);
      },
      Engine::Length::brief);
}

Error Context::write_value(Stream& stream, std::uint64_t address, std::uint64_t value,
                           unsigned bytes) {
  const auto block = memory_.find(address);
  if (!block) return Error::invalid_value;
  std::byte* const at = block->data + (address - block->address);
  submit(
      stream,
      [this, at, address, value, bytes](Ticket) {
        if (lost()) return;
        // Host threads and waiting streams look at it meanwhile.
        if (bytes == sizeof(std::uint32_t))
          std::atomic_ref(*reinterpret_cast<std::uint32_t*>(at)) =
              static_cast<std::uint32_t>(value);
        else
          std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at)) = value;
        host_wrote(address, bytes);
      },
      Engine::Length::brief);
  return Error::success;
}

Error Context::wait_value(Stream& stream, std::uint64_t address, unsigned bytes,
                          std::function<bool(std::uint64_t)> reached) {
  const auto block = memory_.find(address);
  if (!block) return Error::invalid_value;
  std::byte* const at = block->data + (address - block->address);
  const auto value = [at, bytes]() -> std::uint64_t {
    if (bytes == sizeof(std::uint32_t))
      return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(at)).load();
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at)).load();
  };
  submit(
      stream,
      [this, value, reached = std::move(reached), place = place_of(stream)](Ticket) {
        wait_in(place, [&] { return reached(value()); });
      },
      Engine::Length::unbounded);
  return Error::success;
}

void Context::in_turn(Stream& stream, std::function<void(Context&, Stream&)> action) {
  auto same = std::make_shared<Stream>();  // the program may destroy the other one
  same->id = stream.id;
  same->flags = stream.flags;
  same->gpu = stream.gpu;
  {
    std::lock_guard lock(mutex_);
    same->waits = stream.waits;
  }
  submit(
      stream, [this, same, action = std::move(action)](Ticket) { action(*this, *same); },
      Engine::Length::unbounded);
}

void Context::call_host(Stream& stream, HostCall action) {
  if (stream.capture) {
    stream.add_to_capture(NodeType::host, [action](Context& context, Stream& in) {
      context.call_host(in, action);
      return Error::success;
    });
    return;
  }
  submit(
      stream,
      [this, action = std::move(action)](Ticket) {
        const ExecutingProgramCode of_the_program;
        action(*this, fault_);
      },
      Engine::Length::unbounded);
}

void Context::call_program(Stream& stream, std::function<void()> function) {
  if (stream.capture) {
    stream.add_to_capture(NodeType::host, [function](Context& context, Stream& in) {
      context.call_program(in, function);
      return Error::success;
    });
    return;
  }
  call_host(stream, [place = place_of(stream), function = std::move(function)](Context& context,
                                                                               Error error) {
    if (error == Error::success) context.call_beside(place, function);
  });
}

void Context::call_beside(const Engine::Place& place, const std::function<void()>& function) {
  constexpr std::chrono::microseconds kPause{50};
  ProgramCall call(engine_, function);
  const auto ended = [&] { return call.ended(); };
  if (!call.ended_or_waits())
    while (!ended())
      if (!engine_.carry_out_another(place, ended)) std::this_thread::sleep_for(kPause);
  call.rethrow();
}

}  // namespace heddle::runtime
