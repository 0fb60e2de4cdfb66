// Streams and events. Work is carried out in the order of submission (engine.hpp), so both come
// down to tickets: a stream remembers its last one, an event the one it was recorded at.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/runtime/engine.hpp"
#include "gpu/runtime/graph.hpp"
#include "gpu/runtime/shared_pages.hpp"

namespace heddle::runtime {

struct Stream {
  std::uint64_t id = 0;
  unsigned gpu = 0;         // whose it is
  void* made_in = nullptr;  // as programs call the context; null: a default stream
  unsigned flags = 0;
  std::map<int, std::array<std::byte, 64>>
      attributes;  // set by the program: hints, told when asked
  int priority = 0;
  std::atomic<Ticket> last{0};
  std::vector<Ticket> waits;       // by events, of what follows
  std::shared_ptr<Graph> capture;  // what is submitted goes there instead; null: nothing captures
  std::vector<const GraphNode*> captured_last;  // what the next captured node comes after

  GraphNode* add_to_capture(NodeType type, std::function<Error(Context&, Stream&)> run) {
    GraphNode* const added = capture->add(type, std::move(run), captured_last);
    captured_last = {added};
    return added;
  }
  // Whether it and the legacy default stream wait for one another.
  bool ordered_with_legacy() const { return (flags & 1u) == 0; }

  void start_capture(std::shared_ptr<Graph> graph) {
    capture = std::move(graph);
    captured_last.clear();
    if (capture && capture->capture) capture->capture->blocking |= ordered_with_legacy();
  }
};

// Work a context had carried out at some point, and when that point was on the device, where
// launches are timed (timeline.hpp). Untimed, the work stands in for time.
struct Progress {
  std::uint64_t warp_instructions = 0;
  std::uint64_t actions = 0;
  double nanoseconds = 0;
};

class Event {
 public:
  explicit Event(unsigned flags, std::shared_ptr<SharedEvent> shared = nullptr)
      : flags_(flags), shared_(std::move(shared)) {}

  // One recording; recording again replaces it, without touching what waits for the former.
  struct Recording {
    Ticket ticket = 0;
    Progress progress;  // valid when `ticket` is done
  };

  unsigned flags() const { return flags_; }
  const std::shared_ptr<SharedEvent>& shared() const { return shared_; }  // null: it is not
  std::shared_ptr<Recording> recording() const {
    std::lock_guard lock(mutex_);
    return recording_;
  }
  void set(std::shared_ptr<Recording> recording) {
    std::lock_guard lock(mutex_);
    recording_ = std::move(recording);
    capture_ = nullptr;
  }
  // Recorded in a capturing stream: one that waits for it joins the capture, behind its nodes.
  void record_capture(const Stream& stream) {
    std::lock_guard lock(mutex_);
    capture_ = stream.capture;
    captured_last_ = stream.captured_last;
  }
  Error join_capture(Stream& stream) const {
    std::lock_guard lock(mutex_);
    if (!capture_) {
      if (!stream.capture || !recording_) return Error::success;
      stream.capture->invalidated = true;
      return Error::stream_capture_isolation;
    }
    if (!capture_->capture) return Error::invalid_value;  // it is over
    if (!stream.capture) stream.start_capture(capture_);
    if (stream.capture != capture_) {
      stream.capture->invalidated = capture_->invalidated = true;
      return Error::stream_capture_merge;
    }
    for (const GraphNode* node : captured_last_)
      if (std::ranges::find(stream.captured_last, node) == stream.captured_last.end())
        stream.captured_last.push_back(node);
    return Error::success;
  }
  // The capture in which it was recorded last; null: it was recorded in none.
  std::shared_ptr<Graph> captured() const {
    std::lock_guard lock(mutex_);
    return capture_;
  }

 private:
  const unsigned flags_;
  const std::shared_ptr<SharedEvent> shared_;
  mutable std::mutex mutex_;
  std::shared_ptr<Recording> recording_;  // null: never recorded
  std::shared_ptr<Graph> capture_;
  std::vector<const GraphNode*> captured_last_;
};

}  // namespace heddle::runtime
