#include "simulator/timing/memory_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kLinesOfRegion = 512;

class MemorySystemTest : public testing::Test {
 protected:
  // Of `lines` that are asked for at `now`, each by another SM: after how many cycles each comes.
  std::vector<Cycle> ask(const std::vector<LineNumber>& lines, Cycle now,
                         Request::Kind kind = Request::Kind::read, std::uint32_t sms = 1) {
    std::vector<Request> requests;
    std::vector<Request*> pointers;
    for (const LineNumber line : lines) {
      Request request;
      request.time = now;
      request.line = line;
      request.sm = static_cast<std::uint32_t>(requests.size()) % sms;
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
  // Cycles after which a line of DRAM that waits for nothing has come at the latest.
  Cycle usual() const {
    return constants_.latency_l2_hit + constants_.l2_distance + constants_.latency_l2_far_extra +
           constants_.latency_dram_extra;
  }
  // Lines that lie `apart` lines from one another, 32 at a time: the share of times at which any of
  // them waits for a refresh.
  double share_late(std::uint64_t apart) {
    constexpr std::uint64_t kRounds = 400, kLines = 32;
    constexpr Cycle kBetween = 1301, kSlack = 75;
    std::uint64_t late = 0;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      std::vector<LineNumber> lines;
      for (std::uint64_t i = 0; i < kLines; ++i) lines.push_back((round * kLines + i) * apart);
      const std::vector<Cycle> took = ask(lines, round * kBetween);
      if (*std::max_element(took.begin(), took.end()) > usual() + kSlack) ++late;
    }
    return static_cast<double>(late) / kRounds;
  }

  const std::shared_ptr<const Constants> model_ = gpu_model("h200").timing;
  const Constants& constants_ = *model_;
  static constexpr std::uint32_t kSms = 132;
  MemorySystem memory_{constants_, gpu_model("h200").l2_bytes, kSms};
};

// late.step2048 of gpu/kernels/micro/timing/far_boxes.cu: 0.44 of the times.
TEST_F(MemorySystemTest, ARegionsBanksRefreshAtTwoMomentsInAllChannels) {
  const double late = share_late(kLinesOfRegion / 32);
  EXPECT_GT(late, 0.3);
  EXPECT_LT(late, 0.55);
}

// regions.bytes1048576: nearly always.
TEST_F(MemorySystemTest, SomeOfAllBanksAlwaysRefresh) {
  EXPECT_GT(share_late(kLinesOfRegion), 0.9);
}

// spread.* of gpu/kernels/micro/timing/refreshes.cu: half of a region's lines come within 781
// cycles, of as many lines anywhere within 774.
TEST_F(MemorySystemTest, ARegionsLinesAreInAllChannels) {
  constexpr std::uint64_t kRounds = 60, kFarApart = 104729;
  std::vector<Cycle> of_region, anywhere;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    std::vector<LineNumber> near, far;
    for (std::uint64_t i = 0; i < kLinesOfRegion; ++i) {
      near.push_back(round * 64 * kLinesOfRegion + i);
      far.push_back(round * 64 * kLinesOfRegion + i * kFarApart);
    }
    for (auto [lines, all] : {std::pair{&near, &of_region}, {&far, &anywhere}}) {
      memory_.start(true);
      const auto took = ask(*lines, round * 1301, Request::Kind::read, kSms);
      all->insert(all->end(), took.begin(), took.end());
    }
  }
  const auto median = [](std::vector<Cycle>& all) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                     all.end());
    return static_cast<double>(all[all.size() / 2]);
  };
  EXPECT_NEAR(median(of_region) / median(anywhere), 1, 0.03);
}

// A line of each of many regions waits for its own bank's refresh, not for those of others before
// it in the channel.
TEST_F(MemorySystemTest, AChannelServesOtherBanksWhileOneRefreshes) {
  constexpr std::uint64_t kRegions = 4096;
  constexpr Cycle kQueue = 300;
  std::vector<LineNumber> lines;
  for (std::uint64_t region = 0; region < kRegions; ++region)
    lines.push_back(region * kLinesOfRegion);
  const std::vector<Cycle> took = ask(lines, 0, Request::Kind::read, kSms);
  EXPECT_LT(*std::ranges::max_element(took), usual() + constants_.dram_refresh_cycles + kQueue);
  EXPECT_GT(*std::ranges::max_element(took), usual() + constants_.dram_refresh_cycles * 3 / 4);
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
