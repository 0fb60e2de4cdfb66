// What is advised for the committed capsules' launches.
#include "traces/analysis/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "gpu/runtime/capsule.hpp"
#include "traces/analysis/divergence_watch.hpp"

namespace heddle::traces {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using simulator::operator""_lanes;

struct Watched {
  explicit Watched(const std::string& capsule) {
    const std::string file = HEDDLE_SOURCE_DIR "/validation/capsules/" + capsule;
    runtime::CapsuleLaunch launch(runtime::load_capsule(file), file);
    simulator::LaunchOptions options;
    options.observer = &watch;
    launch.run(options);
    advice = advise(launch.request(), watch);
  }
  DivergenceWatch watch;
  std::vector<Advice> advice;
};

TEST(Advice, NamesTheLineTheLanesAndWhatAlignedWarpsWouldSave) {
  const Watched run("simple_divergence.sm_90.G/0001-_Z11mathKernel1Pf.capsule");
  ASSERT_EQ(run.advice.size(), 1u);
  EXPECT_THAT(run.advice[0].title, AllOf(HasSubstr("simple_divergence.cu:17"), HasSubstr("7.9 %")));
  EXPECT_THAT(run.advice[0].text,
              AllOf(HasSubstr("16 of 32 lanes jump: the odd lanes"), HasSubstr("align"),
                    HasSubstr("2 times instead of 4"), HasSubstr("221 warp instructions")));
}

TEST(Advice, IsSilentWhereWarpsStayTogether) {
  const Watched run("simple_divergence.sm_90.G/0002-_Z11mathKernel2Pf.capsule");
  EXPECT_TRUE(run.advice.empty());
}

TEST(Advice, DoesNotAdviseToArrangeThreadsWhereThatSavesNothing) {
  // The active threads of the interleaved reduction are neighbours already.
  const Watched run("reduce_integer_128.sm_90.G/0002-_Z17reduceInterleavedPiS_j.capsule");
  ASSERT_FALSE(run.advice.empty());
  EXPECT_THAT(run.advice[0].text, AllOf(HasSubstr("almost nothing"), Not(HasSubstr("align"))));
}

// What the model says of the threads' arrangement, against the kernel that has them arranged.
TEST(Regrouping, OfTheNeighbouredReductionGivesTheRunsOfTheOneWithThreadsTogether) {
  const Watched spread("reduce_integer_128.sm_90.G/0000-_Z16reduceNeighboredPiS_j.capsule");
  const Watched together("reduce_integer_128.sm_90.G/0001-_Z20reduceNeighboredLessPiS_j.capsule");
  const auto additions = [](const Watched& run) {
    Regrouped dearest;
    std::uint64_t lost = 0;
    for (const auto& [branch, site] : run.watch.divergence().sites())
      if (site.lost > lost) {
        lost = site.lost;
        dearest = run.watch.regrouping().branches().at(branch);
      }
    return dearest.goes_on;
  };
  EXPECT_GT(additions(spread).now, additions(spread).best);
  EXPECT_EQ(additions(spread).best, additions(together).now);
  EXPECT_EQ(additions(together).best, additions(together).now);
}

TEST(Lanes, AreDescribedAsOneWouldSayIt) {
  EXPECT_EQ(describe_lanes(0xffffffff_lanes), "all lanes");
  EXPECT_EQ(describe_lanes(0x55555555_lanes), "the even lanes");
  EXPECT_EQ(describe_lanes(0xaaaaaaaa_lanes), "the odd lanes");
  EXPECT_EQ(describe_lanes(0x11111111_lanes), "every 4th lane");
  EXPECT_EQ(describe_lanes(0xeeeeeeee_lanes), "all but every 4th lane");
  EXPECT_EQ(describe_lanes(0x0000ffff_lanes), "lanes 0-15");
  EXPECT_EQ(describe_lanes(0x80c10000_lanes), "lanes 16, 22, 23, 31");
  EXPECT_EQ(describe_lanes(0x80c19999_lanes), "the lanes 0x80c19999");
}

TEST(SplitKinds, AreToldApartByTheLanesThatJump) {
  SplitSite data;
  data.splits = 40;
  for (std::uint32_t i = 1; i <= 40; ++i)
    data.patterns[{simulator::kFullMask, simulator::Mask(i * 0x9e3779b1)}] = 1;
  EXPECT_EQ(kind_of(data), SplitKind::data);
  SplitSite trips;
  trips.splits = 9;
  trips.again = 8;
  EXPECT_EQ(kind_of(trips), SplitKind::trips);
  SplitSite lanes;
  lanes.splits = 5;
  lanes.patterns[{simulator::kFullMask, 0xfffffffe_lanes}] = 3;
  lanes.patterns[{simulator::kFullMask, 0xffff0000_lanes}] = 2;
  EXPECT_EQ(kind_of(lanes), SplitKind::lanes);
}

}  // namespace
}  // namespace heddle::traces
