// Instructions that look across lanes, as truth tables over whole warps.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using isa::Op;
using Row = std::array<std::uint32_t, kWarpSize>;
using OfLane = std::function<std::uint32_t(std::uint32_t)>;

constexpr RowOffset kA = 0, kB = 2 * 32, kC = 3 * 32, kD = 4 * 32;
constexpr std::uint32_t kUntouched = 0xdeadbeef;

struct Result {
  Row d;
  Mask u;
};

// One instruction in every variant; they must agree.
class WarpInstruction {
 public:
  WarpInstruction(Op op, std::initializer_list<std::pair<Mod, std::uint32_t>> mods) {
    instruction_.op = op;
    request_.instruction = &instruction_;
    for (const auto& [mod, value] : mods) request_.mod(mod) = value;
    op_.a = kA;
    op_.b = kB;
    op_.c = kC;
    op_.d = kD;
    op_.pu = 3;
    op_.pp = {0, {}};
  }
  WarpInstruction& discard_predicate() {
    op_.pu = kDiscardedPredicate;
    return *this;
  }

  Result run(Mask on, const OfLane& a, const OfLane& b = {}, const OfLane& c = {},
             Mask predicate = {}) {
    std::vector<Result> results;
    for (const Variant& variant : variants()) {
      if (!variant.supported) continue;
      std::vector<std::uint32_t> rows(6 * kWarpSize);
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        rows[kA + lane] = a(lane);
        rows[kB + lane] = b ? b(lane) : 0;
        rows[kC + lane] = c ? c(lane) : 0;
        rows[kD + lane] = kUntouched;
      }
      WarpState warp;
      warp.rows = rows.data();
      warp.predicates[kPT] = kFullMask;
      warp.predicates[0] = predicate;
      EXPECT_TRUE(variant.select(request_, op_));
      op_.lane(warp, op_, on);
      Result result{{}, warp.predicates[3]};
      std::copy_n(rows.begin() + kD, kWarpSize, result.d.begin());
      results.push_back(result);
      EXPECT_EQ(results.front().d, result.d) << variant.name;
      EXPECT_EQ(results.front().u, result.u) << variant.name;
    }
    return results.front();
  }

 private:
  isa::Instruction instruction_;
  Request request_;
  MicroOp op_;
};

Row row(const OfLane& of_lane) {
  Row result{};
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) result[lane] = of_lane(lane);
  return result;
}

std::uint32_t lane_number(std::uint32_t lane) { return lane; }
OfLane constant(std::uint32_t value) {
  return [value](std::uint32_t) { return value; };
}

TEST(LanesShfl, MovesWithinTheWarpOrKeepsTheOwnValue) {
  const auto shfl = [](std::uint32_t mode, std::uint32_t b, std::uint32_t c) {
    return WarpInstruction(Op::SHFL, {{Mod::shfl_mode, mode}})
        .run(kFullMask, lane_number, constant(b), constant(c));
  };
  EXPECT_EQ(shfl(0, 5, 0x1f).d, row(constant(5)));
  EXPECT_EQ(shfl(3, 16, 0x1f).d, row([](std::uint32_t i) { return i ^ 16; }));
  const Result up = shfl(1, 1, 0);
  EXPECT_EQ(up.d, row([](std::uint32_t i) { return i == 0 ? 0 : i - 1; }));
  EXPECT_EQ(up.u, kFullMask << 1);
  const Result down = shfl(2, 3, 0x1f);
  EXPECT_EQ(down.d, row([](std::uint32_t i) { return i + 3 < 32 ? i + 3 : i; }));
  EXPECT_EQ(down.u, kFullMask >> 3);
}

TEST(LanesShfl, SegmentsDoNotReachIntoTheirNeighbours) {
  // Width 8: segment mask 0x18 above clamp 0x1f (DOWN, IDX) or 0 (UP).
  const Result down = WarpInstruction(Op::SHFL, {{Mod::shfl_mode, 2}})
                          .run(kFullMask, lane_number, constant(2), constant(0x181f));
  EXPECT_EQ(down.d, row([](std::uint32_t i) { return i % 8 + 2 < 8 ? i + 2 : i; }));
  const Result index = WarpInstruction(Op::SHFL, {{Mod::shfl_mode, 0}})
                           .run(kFullMask, lane_number, constant(3), constant(0x181f));
  EXPECT_EQ(index.d, row([](std::uint32_t i) { return i / 8 * 8 + 3; }));
}

TEST(LanesShfl, IdleSourceLaneGivesZero) {
  const Result result = WarpInstruction(Op::SHFL, {{Mod::shfl_mode, 3}})
                            .run(
                                0x0000ffff_lanes, [](std::uint32_t i) { return i + 100; },
                                constant(16), constant(0x1f));
  EXPECT_EQ(result.d, row([](std::uint32_t i) { return i < 16 ? 0 : kUntouched; }));
}

TEST(LanesVote, CountsActiveLanesOnly) {
  struct Case {
    Mask on, predicate;
    bool all, any, equal;
  };
  const Case cases[] = {{kFullMask, kFullMask, true, true, true},
                        {kFullMask, {}, false, false, true},
                        {0xff_lanes, 0xffff00ff_lanes, true, true, true},
                        {0xff_lanes, 0xffffff00_lanes, false, false, true},
                        {0xff_lanes, 0x01_lanes, false, true, false}};
  for (const Case& each : cases) {
    const bool expected[] = {each.all, each.any, each.equal};
    for (std::uint32_t operation = 0; operation < 3; ++operation) {
      const Result vote = WarpInstruction(Op::VOTE, {{Mod::vote_op, operation}})
                              .run(each.on, lane_number, {}, {}, each.predicate);
      EXPECT_EQ(vote.u, expected[operation] ? each.on : Mask());
      EXPECT_EQ(vote.d, row([&](std::uint32_t i) {
                  return each.on.has(i) ? (each.predicate & each.on).bits() : kUntouched;
                }));
      // The uniform form fills the whole row, whoever is active.
      const Result uniform = WarpInstruction(Op::VOTEU, {{Mod::vote_op, operation}})
                                 .run(each.on, lane_number, {}, {}, each.predicate);
      EXPECT_EQ(uniform.u, expected[operation] ? kFullMask : Mask());
      EXPECT_EQ(uniform.d, row(constant((each.predicate & each.on).bits())));
    }
  }
}

TEST(LanesMatch, GroupsActiveLanesByValue) {
  const Mask on = 0x0ffffff0_lanes;
  const Result any = WarpInstruction(Op::MATCH, {{Mod::match_op, 1}})
                         .discard_predicate()
                         .run(on, [](std::uint32_t i) { return i % 2; });
  EXPECT_EQ(any.d, row([&](std::uint32_t i) {
              return on.has(i) ? on.bits() & (i % 2 != 0 ? 0xaaaaaaaa : 0x55555555) : kUntouched;
            }));
  const auto all = [&](const OfLane& a) {
    return WarpInstruction(Op::MATCH, {{Mod::match_op, 0}}).run(on, a);
  };
  // Idle lanes differ, and do not count.
  const Result same = all([&](std::uint32_t i) { return on.has(i) ? 7 : i; });
  EXPECT_EQ(same.u, on);
  EXPECT_EQ(same.d[10], on.bits());
  const Result different = all(lane_number);
  EXPECT_TRUE(different.u.empty());
  EXPECT_EQ(different.d[10], 0u);
}

TEST(LanesRedux, ReducesActiveLanesIntoTheUniformRow) {
  const Mask on = 0x00ff0000_lanes;
  const auto redux = [&](std::uint32_t operation, std::uint32_t is_signed) {
    return WarpInstruction(Op::REDUX, {{Mod::redux_op, operation}, {Mod::is_signed, is_signed}})
        .run(on, [](std::uint32_t i) { return i == 20 ? 0xfffffff0 : i; })
        .d;
  };
  // Lanes 16 to 23; lane 20 holds -16.
  EXPECT_EQ(redux(0, 0), row(constant(0x10)));        // AND
  EXPECT_EQ(redux(1, 0), row(constant(0xfffffff7)));  // OR
  EXPECT_EQ(redux(3, 0), row(constant(16 + 17 + 18 + 19 + 21 + 22 + 23 - 16)));
  EXPECT_EQ(redux(4, 0), row(constant(16)));          // unsigned MIN
  EXPECT_EQ(redux(4, 1), row(constant(0xfffffff0)));  // signed MIN
  EXPECT_EQ(redux(5, 1), row(constant(23)));          // signed MAX
}

// 0 the largest, 1 of absolute values, 2 the smallest, 3 of absolute values; -0 is less than +0.
TEST(LanesUniform, ReducesFloatsWithAndWithoutNans) {
  const Mask on = 0xff0000_lanes;
  const auto redux = [&](std::uint32_t operation, bool nan, std::uint32_t other) {
    return WarpInstruction(Op::CREDUX,
                           {{Mod::redux_op, operation}, {Mod::type, 1}, {Mod::nan, nan}})
        .run(on,
             [&](std::uint32_t i) {
               if (i == 18) return other;
               return std::bit_cast<std::uint32_t>(i == 20 ? -25.0f : static_cast<float>(i));
             })
        .d;
  };
  const auto all = [](float value) { return row(constant(std::bit_cast<std::uint32_t>(value))); };
  constexpr std::uint32_t kNan = 0xffc00001, kMinusZero = 0x80000000;
  EXPECT_EQ(redux(0, false, kNan), all(23.0f));
  EXPECT_EQ(redux(1, false, kNan), all(25.0f));
  EXPECT_EQ(redux(2, false, kNan), all(-25.0f));
  EXPECT_EQ(redux(3, false, kNan), all(16.0f));
  EXPECT_EQ(redux(3, false, kMinusZero), all(0.0f));
  EXPECT_EQ(redux(2, true, kNan), row(constant(0x7fffffff)));
  EXPECT_EQ(redux(2, true, kMinusZero), all(-25.0f));
  const auto zeros = [&](std::uint32_t operation) {
    return WarpInstruction(Op::CREDUX, {{Mod::redux_op, operation}, {Mod::type, 1}})
        .run(on, [](std::uint32_t i) { return i % 2 != 0 ? kMinusZero : 0u; })
        .d;
  };
  EXPECT_EQ(zeros(0), row(constant(0)));
  EXPECT_EQ(zeros(2), row(constant(kMinusZero)));
}

TEST(LanesUniform, LowestActiveLaneIsReadAndOthersAreTold) {
  const Mask on = 0xf0f00_lanes;
  const Result read = WarpInstruction(Op::R2UR, {}).run(on, [](std::uint32_t i) { return i / 2; });
  EXPECT_EQ(read.d, row(constant(4)));
  EXPECT_EQ(read.u, on & ~0x300_lanes);  // lanes 8 and 9 hold the value that was read
}

TEST(LanesUniform, LowestLaneWhosePredicateHoldsIsElected) {
  const Result elected =
      WarpInstruction(Op::ELECT, {}).run(0xf0f00_lanes, lane_number, {}, {}, 0xfffff400_lanes);
  EXPECT_EQ(elected.d, row(constant(10)));
  EXPECT_EQ(elected.u, Mask::of(10));
}

TEST(LanesPredicates, UnpackSetsTheMaskedPredicatesOfActiveLanes) {
  // P3 from bit 3 of byte 1, in lanes 0 to 15; the others keep theirs (clear).
  const Result result =
      WarpInstruction(Op::R2P, {{Mod::insert, 1}})
          .run(
              0xffff_lanes, [](std::uint32_t i) { return i % 2 != 0 ? 0x0800 : 0xf7ff; },
              constant(0x08));
  EXPECT_EQ(result.u, 0xaaaa_lanes);
}

}  // namespace
}  // namespace heddle::simulator::lanes
