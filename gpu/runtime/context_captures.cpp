// Captures that are under way, and what they do not allow. Which error each call gets, and whether
// it ends the capture, is as an H200 answers (gpu/runtime/tests/answers/streams.cu).
#include <algorithm>
#include <set>

#include "gpu/runtime/context.hpp"

namespace heddle::runtime {
Error Context::begin_capture(Stream& stream, std::shared_ptr<Graph> graph, CaptureMode mode) {
  static std::atomic<std::uint64_t> last_id{0};  // of the process: contexts come and go
  std::lock_guard lock(mutex_);
  if (stream.capture || graph->capture) return Error::illegal_state;
  graph->capture = Capture{++last_id, mode, std::this_thread::get_id(), &stream, false};
  graph->invalidated = false;
  stream.start_capture(graph);
  captures_.push_back(std::move(graph));
  capture_count_ = captures_.size();
  return Error::success;
}

Error Context::end_capture(Stream& stream, std::shared_ptr<Graph>& graph) {
  const std::shared_ptr<Graph> captured = stream.capture;
  const Capture capture = captured->capture.value_or(Capture{});
  Error error = Error::success;
  if (capture.origin != &stream) {
    captured->invalidated = true;
    return Error::stream_capture_unmatched;
  }
  if (capture.mode != CaptureMode::relaxed && capture.thread != std::this_thread::get_id())
    error = Error::stream_capture_wrong_thread;
  const auto before = all_before(stream.captured_last);
  const auto leave = [&](const auto& entry) {
    Stream& other = *entry.second;
    if (other.capture != captured) return;
    for (const GraphNode* node : other.captured_last)
      if (!before.contains(node) && error == Error::success) error = Error::stream_capture_unjoined;
    other.start_capture(nullptr);
  };
  const auto leave_all = [&](Context& context) {
    std::lock_guard lock(context.mutex_);
    std::ranges::for_each(context.streams_, leave);
    std::ranges::for_each(context.thread_streams_, leave);
  };
  leave_all(*this);
  system_->for_others(*this, leave_all);
  std::lock_guard lock(mutex_);
  captured->capture = std::nullopt;
  std::erase(captures_, captured);
  capture_count_ = captures_.size();
  if (error != Error::stream_capture_wrong_thread && captured->invalidated)
    error = Error::stream_capture_invalidated;
  if (error == Error::success) graph = captured;
  return error;
}

Error Context::join_capture(Stream& stream, const Event& event) {
  std::lock_guard lock(mutex_);
  return event.join_capture(stream);
}

Error Context::refuse_unsafe(CaptureMode of_thread) {
  if (capture_count_ == 0 || of_thread == CaptureMode::relaxed) return Error::success;
  std::lock_guard lock(mutex_);
  Error error = Error::success;
  for (const auto& graph : captures_) {
    const Capture& capture = *graph->capture;
    const bool mine = capture.thread == std::this_thread::get_id();
    if (mine ? capture.mode == CaptureMode::relaxed
             : capture.mode != CaptureMode::global || of_thread != CaptureMode::global)
      continue;
    graph->invalidated = true;
    error = Error::stream_capture_unsupported;
  }
  return error;
}

Error Context::refuse_always() {
  if (capture_count_ == 0) return Error::success;
  std::lock_guard lock(mutex_);
  for (const auto& graph : captures_) graph->invalidated = true;
  return captures_.empty() ? Error::success : Error::stream_capture_unsupported;
}

Error Context::refuse_implicit(const Stream& stream) {
  if (capture_count_ == 0 || &stream != legacy_.get()) return Error::success;
  std::lock_guard lock(mutex_);
  Error error = Error::success;
  for (const auto& graph : captures_)
    if (graph->capture->blocking) {
      graph->invalidated = true;
      error = Error::stream_capture_implicit;
    }
  return error;
}

}  // namespace heddle::runtime
