// Streams and events. Work is carried out in the order of submission (engine.hpp), so both come
// down to tickets: a stream remembers its last one, an event the one it was recorded at.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "gpu/runtime/engine.hpp"
#include "gpu/runtime/graph.hpp"

namespace heddle::runtime {

struct Stream {
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::atomic<Ticket> last{0};
  std::shared_ptr<Graph> capture;  // what is submitted goes there instead; null: nothing captures

  // Whether it and the legacy default stream wait for one another.
  bool ordered_with_legacy() const { return (flags & 1u) == 0; }
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
  explicit Event(unsigned flags) : flags_(flags) {}

  // One recording; recording again replaces it, without touching what waits for the former.
  struct Recording {
    Ticket ticket = 0;
    Progress progress;  // valid when `ticket` is done
  };

  unsigned flags() const { return flags_; }
  std::shared_ptr<Recording> recording() const {
    std::lock_guard lock(mutex_);
    return recording_;
  }
  void set(std::shared_ptr<Recording> recording) {
    std::lock_guard lock(mutex_);
    recording_ = std::move(recording);
    capture_ = nullptr;
  }
  // Recorded in a stream that captures: whoever waits for it joins the capture.
  void set(std::shared_ptr<Graph> capture) {
    std::lock_guard lock(mutex_);
    capture_ = std::move(capture);
  }
  std::shared_ptr<Graph> capture() const {
    std::lock_guard lock(mutex_);
    return capture_;
  }

 private:
  const unsigned flags_;
  mutable std::mutex mutex_;
  std::shared_ptr<Recording> recording_;  // null: never recorded
  std::shared_ptr<Graph> capture_;
};

}  // namespace heddle::runtime
