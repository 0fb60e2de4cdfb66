// The rule of nvcc 13.0 for branches, against what nvcc made of kernels.
#include <gmock/gmock.h>

#include <array>

#include "traces/sketch/tests/recorded_branches.hpp"

namespace heddle::isa::sketch {
namespace {

using enum BranchOutcome;

BranchShape one_sided(unsigned instructions, Dependence condition) {
  BranchShape shape;
  shape.then.instructions = instructions;
  shape.condition = condition;
  return shape;
}

BranchShape two_sided(unsigned then, unsigned otherwise) {
  BranchShape shape = one_sided(then, Dependence::lane);
  shape.otherwise.instructions = otherwise;
  return shape;
}

BranchShape loading(unsigned instructions, unsigned loads, unsigned room) {
  BranchShape shape = one_sided(instructions, Dependence::lane);
  shape.then.loads = loads;
  shape.room = room;
  return shape;
}

TEST(PredicationOfNvcc13, EightInstructionsWhereThreadsMayPartElseSix) {
  EXPECT_EQ(nvcc_13(one_sided(8, Dependence::lane), Front::cuda), predicate);
  EXPECT_EQ(nvcc_13(one_sided(9, Dependence::lane), Front::cuda), branch);
  EXPECT_EQ(nvcc_13(one_sided(8, Dependence::data), Front::ptx), predicate);
  EXPECT_EQ(nvcc_13(one_sided(6, Dependence::uniform), Front::cuda), predicate);
  EXPECT_EQ(nvcc_13(one_sided(7, Dependence::uniform), Front::ptx), branch);
}

// NVVM's PTX has the else first; PTX by hand has it behind.
TEST(PredicationOfNvcc13, TheJumpPastTheOtherSideCounts) {
  EXPECT_EQ(nvcc_13(two_sided(8, 7), Front::cuda), predicate);
  EXPECT_EQ(nvcc_13(two_sided(7, 8), Front::cuda), branch);
  EXPECT_EQ(nvcc_13(two_sided(8, 7), Front::ptx), branch);
  EXPECT_EQ(nvcc_13(two_sided(7, 8), Front::ptx), predicate);
}

TEST(PredicationOfNvcc13, ASideThatLoadsMayBeLongerIfSomethingPassesTheTime) {
  EXPECT_EQ(nvcc_13(loading(20, 1, 3), Front::cuda), predicate);
  EXPECT_EQ(nvcc_13(loading(21, 1, 3), Front::cuda), branch);
  EXPECT_EQ(nvcc_13(loading(2, 1, 2), Front::cuda), branch);
}

TEST(PredicationOfNvcc13, OnlyNvvmSelects) {
  BranchShape shape = one_sided(2, Dependence::lane);
  shape.then.cheap = 4;
  EXPECT_EQ(nvcc_13(shape, Front::cuda), select);
  EXPECT_EQ(nvcc_13(shape, Front::ptx), predicate);
  shape.then.cheap = 5;
  EXPECT_EQ(nvcc_13(shape, Front::cuda), predicate);
}

TEST(PredicationOfNvcc13, AtomicsCallsAndLoopsStayBehindABranchUnlessTheKernelEnds) {
  BranchShape shape = one_sided(1, Dependence::lane);
  shape.stays = true;
  EXPECT_EQ(nvcc_13(shape, Front::cuda), branch);
  shape.ends_kernel = true;
  EXPECT_EQ(nvcc_13(shape, Front::cuda), predicate);
}

// Kernels that were drawn before the rule was written, and not looked at until it was.
TEST(PredicationOfNvcc13, PredictsKernelsItWasNotMadeFrom) {
  const auto branches = read_branches(HEDDLE_SOURCE_DIR "/validation/predication/held_out.csv");
  ASSERT_EQ(branches.size(), 500u);
  std::size_t right = 0, near = 0;
  std::array<std::size_t, 3> outcomes{};
  for (const RecordedBranch& each : branches) {
    right += nvcc_13(each.shape, each.front) == each.outcome ? 1 : 0;
    near += each.half == "near" ? 1 : 0;
    ++outcomes.at(static_cast<std::size_t>(each.outcome));
  }
  EXPECT_GE(right, 475u);
  EXPECT_EQ(near, 250u);
  EXPECT_THAT(outcomes, ::testing::Each(::testing::Lt(350u)));  // no guess is right for 70 %
}

}  // namespace
}  // namespace heddle::isa::sketch
