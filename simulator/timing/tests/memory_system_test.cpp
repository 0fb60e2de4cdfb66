#include "simulator/timing/memory_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle::simulator::timing {
namespace {

class MemorySystemTest : public testing::Test {
 protected:
  // Of `lines` that the SM asks for at `now`: after how many cycles each comes.
  std::vector<Cycle> ask(const std::vector<LineNumber>& lines, Cycle now,
                         Request::Kind kind = Request::Kind::read) {
    std::vector<Request> requests;
    std::vector<Request*> pointers;
    for (const LineNumber line : lines) {
      Request request;
      request.time = now;
      request.line = line;
      request.kind = kind;
      request.sectors = 1;
      requests.push_back(request);
    }
    for (Request& each : requests) pointers.push_back(&each);
    memory_.serve(pointers);
    std::vector<Cycle> took;
    for (const Request& each : requests) took.push_back(each.done - now);
    return took;
  }

  // Lines that lie `apart` lines from one another, 32 at a time: the share of times at which any of
  // them waits for a refresh.
  double share_late(std::uint64_t apart) {
    constexpr std::uint64_t kRounds = 400, kLines = 32;
    constexpr Cycle kBetween = 1301, kSlack = 75;
    const Cycle usual = constants_.latency_l2_hit + constants_.l2_distance +
                        constants_.latency_l2_far_extra + constants_.latency_dram_extra;
    std::uint64_t late = 0;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      std::vector<LineNumber> lines;
      for (std::uint64_t i = 0; i < kLines; ++i) lines.push_back((round * kLines + i) * apart);
      const std::vector<Cycle> took = ask(lines, round * kBetween);
      if (*std::max_element(took.begin(), took.end()) > usual + kSlack) ++late;
    }
    return static_cast<double>(late) / kRounds;
  }

  const std::shared_ptr<const Constants> model_ = gpu_model("h200").timing;
  const Constants& constants_ = *model_;
  MemorySystem memory_{constants_, gpu_model("h200").l2_bytes, 1};
};

constexpr std::uint64_t kLinesOfRegion = 512;

// late.step2048 of gpu/kernels/micro/timing/far_boxes.cu: 0.44 of the times.
TEST_F(MemorySystemTest, ARegionsChannelsRefreshAtNearlyTheSameTime) {
  const double late = share_late(kLinesOfRegion / 32);
  EXPECT_GT(late, 0.35);
  EXPECT_LT(late, 0.55);
}

// regions.bytes1048576: nearly always.
TEST_F(MemorySystemTest, SomeOfAllChannelsAlwaysRefresh) {
  EXPECT_GT(share_late(kLinesOfRegion), 0.9);
}

TEST_F(MemorySystemTest, WhatIsPrefetchedIsAtHomeInL2) {
  std::vector<LineNumber> lines;
  for (LineNumber line = 0; line < kLinesOfRegion; line += 32) lines.push_back(line);
  ask(lines, 0, Request::Kind::prefetch);
  EXPECT_EQ(memory_.traffic().dram_sectors_read, 2 * lines.size());
  const std::vector<Cycle> took = ask(lines, 10000);
  const Cycle near = constants_.latency_l2_hit + constants_.l2_distance;
  EXPECT_LE(*std::max_element(took.begin(), took.end()), near + constants_.latency_l2_far_extra);
  EXPECT_GT(*std::max_element(took.begin(), took.end()), near);  // not in the half that is near
  EXPECT_EQ(memory_.traffic().dram_sectors_read, 2 * lines.size());
}

}  // namespace
}  // namespace heddle::simulator::timing
