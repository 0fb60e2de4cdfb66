// Which work of streams overlaps, and for how long.
#include "gpu/runtime/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "gpu/runtime/context.hpp"

namespace heddle::runtime {
namespace {

using Unit = StreamWork::Unit;

StreamOrder stream(std::uint64_t id) { return {id + 1, false, true}; }
constexpr StreamOrder kLegacy{0, true, true};

StreamWork copy(Unit unit, double nanoseconds, bool pageable = false) {
  StreamWork work;
  work.unit = unit;
  work.nanoseconds = nanoseconds;
  work.is_pageable = pageable;
  return work;
}
StreamWork kernel(double nanoseconds, double share = 1) {
  StreamWork work;
  work.nanoseconds = nanoseconds;
  work.share = share;
  return work;
}

// Copy, kernel, copy: each of 100, in parts on that many streams, submitted stream by stream.
double pipeline(unsigned streams, bool pageable, unsigned queues = 8) {
  Timeline time(queues);
  for (unsigned i = 0; i < streams; ++i) {
    const double part = 100.0 / streams;
    time.add(stream(i), copy(Unit::to_device, part, pageable));
    time.add(stream(i), kernel(part));
    time.add(stream(i), copy(Unit::to_host, part, pageable));
  }
  return time.all_done();
}

TEST(Timeline, PinnedCopiesAndKernelsOfSeveralStreamsOverlap) {
  EXPECT_DOUBLE_EQ(pipeline(1, false), 300);
  EXPECT_DOUBLE_EQ(pipeline(5, false), 140);  // a part fills the pipeline, then three units work
}

TEST(Timeline, PageableCopiesDoNotOverlap) { EXPECT_DOUBLE_EQ(pipeline(5, true), 300); }

TEST(Timeline, OneEngineCopiesInEachDirection) {
  Timeline time(8);
  time.add(stream(0), copy(Unit::to_device, 100));
  EXPECT_EQ(time.add(stream(1), copy(Unit::to_device, 100)).begin, 100);
  EXPECT_EQ(time.add(stream(2), copy(Unit::to_host, 100)).begin, 0);
}

TEST(Timeline, KernelsShareTheGpuAsFarAsTheyFit) {
  Timeline time(8);
  EXPECT_EQ(time.add(stream(0), kernel(100, 0.5)).begin, 0);
  EXPECT_EQ(time.add(stream(1), kernel(60, 0.5)).begin, 0);
  EXPECT_EQ(time.add(stream(2), kernel(10, 0.25)).begin, 60);
  EXPECT_EQ(time.add(stream(3), kernel(10, 1)).begin, 100);
}

TEST(Timeline, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  Timeline time(8);
  const StreamOrder other{9, false, false};
  time.add(stream(0), kernel(100, 0.1));
  EXPECT_EQ(time.add(kLegacy, kernel(50, 0.1)).begin, 100);
  EXPECT_EQ(time.add(stream(1), kernel(10, 0.1)).begin, 150);
  EXPECT_EQ(time.add(other, kernel(10, 0.1)).begin, 0);
}

TEST(Timeline, AStreamThatWaitsForAnEventStartsBehindIt) {
  Timeline time(8);
  time.add(stream(0), kernel(100, 0.1));
  time.wait(stream(1), time.done(stream(0)));
  EXPECT_EQ(time.add(stream(1), kernel(10, 0.1)).begin, 100);
}

TEST(Timeline, WhatTheHostSubmitsAfterItWaitedComesLater) {
  Timeline time(8);
  time.add(stream(0), kernel(100, 0.1));
  time.host_waits(time.done(stream(0)));
  EXPECT_EQ(time.add(stream(1), kernel(10, 0.1)).begin, 100);
}

// Four streams of dependent kernels, submitted stream by stream: with one queue a stream's second
// kernel keeps the next stream's first one from beginning.
TEST(Timeline, OneHardwareQueueMakesStreamsWaitForOneAnother) {
  const auto elapsed = [](unsigned queues) {
    Timeline time(queues);
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < 4; ++j) time.add(stream(i), kernel(100, 0.1));
    return time.all_done();
  };
  EXPECT_DOUBLE_EQ(elapsed(8), 400);
  EXPECT_DOUBLE_EQ(elapsed(1), 1300);  // only the last kernel of one and the first of the next
}

TEST(Timeline, ForgetsNothingThatMatters) {
  Timeline time(8);
  for (int i = 0; i < 5000; ++i) time.add(stream(0), kernel(1));
  EXPECT_DOUBLE_EQ(time.add(stream(1), kernel(1)).begin, 5000);
}

// What a program sees: events around work in five streams.
class TimedContext : public testing::Test {
 protected:
  // Milliseconds from before the first copy to behind the last one.
  double milliseconds(unsigned streams, bool pinned) {
    ContextOptions options;
    options.settings.timing.emplace();
    Context context(simulator::gpu_model("h200"), options);
    constexpr std::uint64_t kBytes = 10 << 20;
    std::vector<std::byte> pageable(kBytes);
    void* host = pageable.data();
    if (pinned) {
      EXPECT_EQ(context.allocate_host(kBytes, MemoryKind::pinned, 0, host), Error::success);
    }
    std::uint64_t there = 0, back = 0;
    EXPECT_EQ(context.allocate(kBytes, "there", there), Error::success);
    EXPECT_EQ(context.allocate(kBytes, "back", back), Error::success);
    const auto zero = context.stream(nullptr, DefaultStream::legacy);
    const auto begin = context.create_event(0), end = context.create_event(0);
    context.record(*begin, *zero);
    const auto from = reinterpret_cast<std::uint64_t>(host);
    for (unsigned i = 0; i < streams; ++i) {
      const auto stream = context.create_stream(0, 0);
      const std::uint64_t part = kBytes / streams, at = i * part;
      EXPECT_EQ(context.copy({{there + at}, {from + at}, {part}, abi::MemcpyKind::host_to_device},
                             *stream, false),
                Error::success);
      EXPECT_EQ(context.copy({{from + at}, {back + at}, {part}, abi::MemcpyKind::device_to_host},
                             *stream, false),
                Error::success);
    }
    context.record(*end, *zero);
    EXPECT_EQ(context.synchronize(), Error::success);
    return (end->recording()->progress.nanoseconds - begin->recording()->progress.nanoseconds) /
           1e6;
  }
};

TEST_F(TimedContext, SeesTheGainOfFiveStreamsWithPinnedMemoryAlone) {
  const double one = milliseconds(1, true), five = milliseconds(5, true);
  EXPECT_GT(one, 0.1);
  EXPECT_LT(five, one * 0.75);
  EXPECT_GE(milliseconds(5, false), milliseconds(1, false));
}

}  // namespace
}  // namespace heddle::runtime
