// When the work of streams happens on the device: what CUDA's rules let overlap does, as far as the
// units that do it have room. Worked out in the order of submission, beside the work itself, which
// is carried out one after the other (engine.hpp).
//
// - Work of one stream follows one another. The legacy default stream waits for all blocking
//   streams, and they for it.
// - One engine copies to the device, one to the host, one within the device. Kernels share the GPU
//   while together they take no more than it holds at a time.
// - A copy from or to pageable memory goes through the driver's own buffer: it overlaps with
// nothing
//   and holds the host up.
// - Streams are dealt to hardware queues. Work begins after what is before it in its queue has
//   begun; with one queue, as GPUs had it before Kepler, a stream that waits makes others wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace heddle::runtime {

// Nanoseconds since the context began.
struct Span {
  double begin = 0, end = 0;
};

// What of a stream decides when its work may begin.
struct StreamOrder {
  std::uint64_t id = 0;
  bool is_legacy = false;   // the legacy default stream
  bool is_blocking = true;  // waits for the legacy default stream, and it for this one
};

struct StreamWork {
  enum class Unit : std::uint8_t { to_device, to_host, within_device, kernels, count_ };
  Unit unit = Unit::kernels;
  double nanoseconds = 0;
  double share = 1;          // of the unit that it takes
  bool is_pageable = false;  // a copy
  bool host_waits = false;   // until it is done
};

// Work that was carried out, and when it happened.
struct StreamEvent {
  std::string name;
  StreamOrder stream;
  StreamWork work;
  Span span;
};

class Timeline {
 public:
  explicit Timeline(unsigned queues);

  Span add(const StreamOrder& stream, const StreamWork& work);
  // When all that is in the stream will be done; what is put there now comes later.
  double done(const StreamOrder& stream) const;
  double all_done() const { return all_done_; }
  // What follows in the stream comes after that time (an event of another stream).
  void wait(const StreamOrder& stream, double time);
  // The host goes on at that time at the earliest, and submits what follows then.
  void host_waits(double time) { host_ = host_ > time ? host_ : time; }

 private:
  struct Busy {
    Span span;
    double share = 0;
  };
  // Work that a unit has, in the order of submission.
  struct Engine {
    std::deque<Busy> busy;
    double before = 0;  // nothing begins before, as what was there is forgotten
  };
  static double room(const Engine& engine, double from, const StreamWork& work);
  static void take(Engine& engine, const Busy& busy);

  std::map<std::uint64_t, double> done_;  // by stream
  double blocking_done_ = 0, legacy_done_ = 0, all_done_ = 0, host_ = 0;
  std::vector<double> queues_;  // when the last work of each began
  std::vector<Engine> engines_{static_cast<std::size_t>(StreamWork::Unit::count_)};
};

// As CUDA_DEVICE_MAX_CONNECTIONS says: 1 to 32, 8 where it does not.
unsigned hardware_queues();

}  // namespace heddle::runtime
