#include "gpu/runtime/timeline.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace heddle::runtime {

Timeline::Timeline(unsigned queues) : queues_(std::max(1u, queues)) {}

double Timeline::done(const StreamOrder& stream) const {
  double time = host_;
  if (const auto found = done_.find(stream.id); found != done_.end())
    time = std::max(time, found->second);
  if (stream.is_legacy) return std::max(time, blocking_done_);
  return stream.is_blocking ? std::max(time, legacy_done_) : time;
}

void Timeline::wait(const StreamOrder& stream, double time) {
  double& done = done_[stream.id];
  done = std::max(done, time);
  if (stream.is_blocking) blocking_done_ = std::max(blocking_done_, done);
  if (stream.is_legacy) legacy_done_ = std::max(legacy_done_, done);
}

// The first time from which the unit has room for the work as long as it takes.
double Timeline::room(const Engine& engine, double from, const StreamWork& work) {
  constexpr double kFull = 1 + 1e-9;
  double begin = std::max(from, engine.before);
  for (;;) {
    double used = work.share, next = begin;
    // What overlaps is counted as if it did all the time: nothing begins that has to stop again.
    for (const Busy& busy : engine.busy)
      if (busy.span.begin < begin + work.nanoseconds && busy.span.end > begin) {
        used += busy.share;
        next = next == begin ? busy.span.end : std::min(next, busy.span.end);
      }
    if (used <= kFull || next == begin) return begin;
    begin = next;
  }
}

void Timeline::take(Engine& engine, const Busy& busy) {
  constexpr std::size_t kRemembered = 512;
  engine.busy.push_back(busy);
  if (engine.busy.size() <= kRemembered) return;
  engine.before = std::max(engine.before, engine.busy.front().span.end);
  engine.busy.pop_front();
}

Span Timeline::add(const StreamOrder& stream, const StreamWork& work) {
  double& queue = queues_[stream.id % queues_.size()];
  double from = std::max(done(stream), queue);
  if (work.is_pageable) from = std::max(from, all_done_);
  Engine& engine = engines_[static_cast<std::size_t>(work.unit)];
  const double begin = room(engine, from, work);
  const Span span{begin, begin + work.nanoseconds};
  take(engine, {span, work.share});
  queue = begin;
  wait(stream, span.end);
  all_done_ = std::max(all_done_, span.end);
  if (work.is_pageable || work.host_waits) host_waits(span.end);
  return span;
}

unsigned hardware_queues() {
  constexpr unsigned kStandard = 8, kMost = 32;
  const char* const text = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  if (text == nullptr) return kStandard;
  const std::string_view value = text;
  unsigned count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc() || end != value.data() + value.size() || count == 0) return kStandard;
  return std::min(count, kMost);
}

}  // namespace heddle::runtime
