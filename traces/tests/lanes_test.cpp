#include "traces/analysis/lanes.hpp"

#include <gtest/gtest.h>

#include <array>

#include "simulator/execute/machine.hpp"

namespace heddle::traces {
namespace {

using simulator::operator""_lanes;

class Lanes : public testing::Test {
 protected:
  Lanes() {
    request_.block = {32 + 24, 1, 1};
    context_.request = &request_;
    context_.program = &program_;
    context_.options = &options_;
    context_.memory = &memory_;
    core_.emplace(context_);
    warp_.index = 1;
    warp_.convergence = core_->make_reconvergence();
    warp_.convergence->start(launched_lanes(*core_, warp_), simulator::Pc(0));
  }
  // The lanes leave the current group and run first.
  simulator::Reconvergence& split(Mask lanes) {
    const Mask others = warp_.convergence->current().lanes & ~lanes;
    const std::array parts{simulator::Part{lanes, simulator::Pc(8)},
                           simulator::Part{others, simulator::Pc(0)}};
    warp_.convergence->branch({.at = simulator::Pc(4), .parts = parts});
    return *warp_.convergence;
  }
  std::string bar(Mask on) {
    return lane_bar(*core_, warp_, warp_.convergence->current().lanes, on);
  }

  simulator::LaunchRequest request_;
  simulator::LaunchOptions options_;
  simulator::LoweredProgram program_;
  simulator::DeviceMemory memory_{1 << 20};
  simulator::LaunchContext context_;
  std::optional<simulator::Core> core_;
  simulator::Warp warp_;
};

TEST_F(Lanes, AreTheThreadsTheBlockHas) {
  EXPECT_EQ(launched_lanes(*core_, warp_), 0xffffff_lanes);
}

TEST_F(Lanes, LookDifferentInEachState) {
  warp_.convergence->bssy(11, 0xfffff0_lanes);
  split(0x00000f_lanes).exit(0x00000f_lanes);
  split(0x0000f0_lanes).bsync(11);
  split(0x000f00_lanes).wait_at_block_barrier(2);
  std::array<std::uint32_t, simulator::kWarpSize> masks;
  masks.fill(0x00ffff);
  split(0x003000_lanes)
      .warpsync(
          {.at = simulator::Pc(4), .active = 0x003000_lanes, .masks = masks.data(), .behind = {}});
  split(0x0f0000_lanes);
  EXPECT_EQ(bar(0x030000_lanes), "xxxxbbbbCCCCww..##--....        ");
}

TEST_F(Lanes, SayWhatTheyWaitFor) {
  warp_.convergence->bssy(3, 0x0000ff_lanes);
  split(0x00000f_lanes).bsync(3);
  EXPECT_EQ(wait_text(warp_, warp_.convergence->groups().front()), "waits at B3 for 4-7");
  EXPECT_EQ(wait_text(warp_, warp_.convergence->current()), "");
}

}  // namespace
}  // namespace heddle::traces
