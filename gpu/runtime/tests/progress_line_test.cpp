#include "gpu/runtime/progress_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Progress : public testing::TestWithParam<bool> {
 protected:
  void at(std::chrono::milliseconds time, std::uint64_t blocks, std::uint64_t instructions) {
    now_ = ProgressLine::Clock::time_point(time);
    written_.clear();
    EXPECT_TRUE(line_.during({blocks, 100, instructions}));
  }
  ProgressLine::Clock::time_point now_{};
  std::string written_;
  ProgressLine line_{GetParam(), [this](std::string_view text) { written_ += text; },
                     [this] { return now_; }};
  isa::Kernel kernel_;
  simulator::LaunchRequest request_;
  simulator::Device device_{simulator::gpu_model("h200")};
  void SetUp() override {
    kernel_.name = "mathKernel1";
    request_.kernel = &kernel_;
    line_.before(device_, request_);
  }
};
INSTANTIATE_TEST_SUITE_P(On, Progress, testing::Bool(), [](const auto& instance) {
  return std::string(instance.param ? "terminal" : "file");
});

TEST_P(Progress, SaysNothingOfShortLaunches) {
  at(900ms, 3, 1000);
  EXPECT_THAT(written_, IsEmpty());
  line_.after(device_, request_, {});
  EXPECT_THAT(written_, IsEmpty());
}

TEST_P(Progress, TellsHowFarALongLaunchIs) {
  at(GetParam() ? 1s : 30s, 0, 50'000'000);
  EXPECT_THAT(written_, HasSubstr("mathKernel1: 0 of 100 blocks, 50.0 M warp instructions"));
  EXPECT_THAT(written_, Not(HasSubstr("left")));
  at(40s, 25, 400'000'000);
  if (!GetParam()) {
    EXPECT_THAT(written_, IsEmpty());  // less than 30 seconds later
    at(60s, 25, 600'000'000);
  }
  EXPECT_THAT(written_, HasSubstr("25 of 100 blocks"));
  EXPECT_THAT(written_, HasSubstr("10.0 M/s"));
  EXPECT_THAT(written_, HasSubstr(GetParam() ? "about 2 min 0 s left" : "about 3 min 0 s left"));
  written_.clear();
  line_.after(device_, request_, {});
  EXPECT_EQ(written_, GetParam() ? "\r\033[K" : "");
}

}  // namespace
}  // namespace heddle::runtime
