// GPUs of the seed documents' time: what their guides say of accesses and of costs, and sketches on
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "simulator/execute/machine.hpp"
#include "simulator/memory/old_access_counts.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/models/instruction_costs.hpp"
#include "simulator/models/occupancy.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/sketch/launches.hpp"
#include "traces/sketch/run_sketch.hpp"

namespace heddle::simulator {
namespace {

constexpr Mask kHalfWarp = 0xffff_lanes;

Addresses strided(std::uint64_t base, std::uint64_t stride) {
  Addresses address{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) address[lane] = base + lane * stride;
  return address;
}

AccessCounts load(AccessRules rules, unsigned width, const Addresses& address,
                  Mask lanes = kFullMask) {
  return count_global_by(rules, AccessKind::load, width, address, lanes);
}

// CUDA Programming Guide 2.3, 5.1.2.1 and its figures of coalesced and other accesses.
TEST(HalfWarps, InOrderMakeOneTransactionEach) {
  const AccessCounts words = load(AccessRules::half_warp_in_order, 4, strided(0x1000, 4));
  EXPECT_EQ(words.tags, 2u);
  EXPECT_EQ(words.sectors, 4u) << "64 bytes each";
  EXPECT_EQ(load(AccessRules::half_warp_in_order, 8, strided(0x1000, 8)).sectors, 8u);
  EXPECT_EQ(load(AccessRules::half_warp_in_order, 16, strided(0x1000, 16)).tags, 4u);
  const AccessCounts some =
      load(AccessRules::half_warp_in_order, 4, strided(0x1000, 4), 0x00ff0f0f_lanes);
  EXPECT_EQ(some.tags, 2u) << "threads may be missing";
}

TEST(HalfWarps, OutOfOrderMakeATransactionForEachThreadBefore12) {
  EXPECT_EQ(load(AccessRules::half_warp_in_order, 4, strided(0x1004, 4)).tags, 32u) << "misaligned";
  EXPECT_EQ(load(AccessRules::half_warp_in_order, 4, strided(0x1000, 8)).tags, 32u);
  EXPECT_EQ(load(AccessRules::half_warp_in_order, 2, strided(0x1000, 2)).tags, 32u);
  Addresses swapped = strided(0x1000, 4);
  std::swap(swapped[0], swapped[1]);
  EXPECT_EQ(load(AccessRules::half_warp_in_order, 4, swapped).tags, 17u) << "the first half alone";
}

TEST(HalfWarps, TakeTheSmallestSegmentsThatHoldThemFrom12) {
  const auto segments = [](unsigned width, const Addresses& address, Mask lanes = kFullMask) {
    return load(AccessRules::half_warp_segments, width, address, lanes);
  };
  EXPECT_EQ(segments(4, strided(0x1000, 4)).tags, 2u);
  EXPECT_EQ(segments(4, strided(0x1000, 4)).sectors, 4u);
  Addresses swapped = strided(0x1000, 4);
  std::swap(swapped[0], swapped[9]);
  EXPECT_EQ(segments(4, swapped).sectors, 4u) << "in any order";
  const AccessCounts misaligned = segments(4, strided(0x1004, 4), 0xffff_lanes);
  EXPECT_EQ(misaligned.tags, 1u);
  EXPECT_EQ(misaligned.sectors, 4u) << "the segment of 128 bytes: both halves are used";
  EXPECT_EQ(segments(4, strided(0x1000, 8), 0xffff_lanes).sectors, 4u);
  EXPECT_EQ(segments(1, strided(0x1000, 1), 0xffff_lanes).sectors, 1u);
  EXPECT_EQ(segments(4, strided(0x1000, 256), 0xffff_lanes).tags, 16u);
  EXPECT_EQ(segments(4, strided(0x1000, 256), 0xffff_lanes).sectors, 16u) << "32 bytes each";
}

TEST(HalfWarps, MeetSixteenBanksAndOneBroadcastWord) {
  const auto passes = [](const Addresses& address, Mask lanes = kHalfWarp) {
    return count_shared_half_warps(AccessKind::load, 4, address, lanes).wavefronts;
  };
  EXPECT_EQ(passes(strided(0, 4)), 1u);
  EXPECT_EQ(passes(strided(0, 4), kFullMask), 2u) << "one for each half";
  EXPECT_EQ(passes(strided(0, 8)), 2u);
  EXPECT_EQ(passes(strided(0, 12)), 1u) << "odd strides do not conflict";
  EXPECT_EQ(passes(strided(0, 64)), 16u);
  EXPECT_EQ(passes(strided(0, 0)), 1u) << "a broadcast";
  EXPECT_EQ(count_shared_half_warps(AccessKind::load, 8, strided(0, 8), 0xffff_lanes).wavefronts,
            2u);
}

TEST(Fermi, LoadsMoveWholeLines) {
  EXPECT_EQ(load(AccessRules::lines, 4, strided(0x1000, 4)).sectors, 4u);
  EXPECT_EQ(load(AccessRules::lines, 4, strided(0x1000, 128)).sectors, 128u);
  EXPECT_EQ(
      count_global_by(AccessRules::lines, AccessKind::store, 4, strided(0x1000, 128), kFullMask)
          .sectors,
      32u)
      << "stores do not";
}

TEST(OldModels, AgreeWithTheirComputeCapability) {
  unsigned old = 0;
  for (const std::string& id : model_ids()) {
    const GpuModel& model = gpu_model(id);
    if (!model.sketches_only()) continue;
    ++old;
    const SmLimits& sm = *find_compute_capability(model.capability);
    EXPECT_EQ(model.max_threads_per_block, sm.max_threads_per_block) << id;
    EXPECT_EQ(model.max_warps_per_sm, sm.max_warps) << id;
    EXPECT_EQ(model.max_blocks_per_sm, sm.max_blocks) << id;
    EXPECT_EQ(model.registers_per_sm, sm.registers) << id;
    EXPECT_EQ(model.register_allocation_unit, sm.register_unit) << id;
    EXPECT_EQ(model.shared_bytes_per_sm, sm.shared_bytes) << id;
    EXPECT_EQ(model.shared_allocation_unit, sm.shared_unit) << id;
    EXPECT_NE(model.costs, nullptr) << id;
    EXPECT_EQ(model.timing, nullptr) << id;
  }
  EXPECT_EQ(old, 9u);
  EXPECT_EQ(gpu_model("c1060").code_name(), "sm_13");
  EXPECT_EQ(gpu_model("h200").code_name(), "sm_90");
}

struct Ran {
  LaunchOutcome outcome;
  MetricValues metrics;
  double cycles = 0, idle_cycles = 0;
  std::vector<float> out;
};

Ran run(const std::string& lines, const char* gpu, const char* predication = "off") {
  SketchProgram program(
      isa::sketch::compile(
          "__global__ void k(float *out, float x = 3.0f, int n = 5) {\n" + lines +
              "\n}\nk<<<1, 32>>>(zeros(1024), 3.0f, 5);\n",
          "test.warp",
          {.predication = isa::sketch::find_predication_rule(predication), .read_file = {}}),
      "test.warp", gpu_model(gpu));
  Ran result;
  program.run(program.compiled().launches.at(0), 1, {}, [&](const SketchProgram::Ran& ran) {
    result.outcome = ran.outcome;
    result.metrics = make_launch_record(ran.request, ran.outcome, gpu_model(gpu)).metrics;
    std::vector<CostedInstruction> code;
    const auto& operations = program.compiled().kernels[0].operations;
    for (std::size_t i = 0; i < operations.size(); ++i)
      code.push_back(
          {&*program.module().program().instructions[i], operations[i], &ran.outcome.counts[i]});
    for (const CostSum& sum : cost_sums(*gpu_model(gpu).costs, code)) {
      result.cycles += sum.cycles;
      result.idle_cycles += sum.idle_cycles;
    }
    const auto bytes = program.contents(ran.arrays.at(0));
    result.out.resize(bytes.size() / sizeof(float));
    std::memcpy(result.out.data(), bytes.data(), bytes.size());
  });
  return result;
}

// What the operation costs one warp, without the move to the variable.
double cost(const std::string& assignment, const char* gpu = "c1060") {
  const std::string before = "float y = x * out[3]; int i = n + threadIdx.x;\nfloat z; int j;\n",
                    after = "\nout[threadIdx.x] = z; out[64 + threadIdx.x] = j;";
  const bool is_float = assignment[0] == 'z';
  const std::string other = is_float ? "j = i;" : "z = y;";
  return run(before + other + assignment + after, gpu).cycles -
         run(before + other + (is_float ? "z = y;" : "j = i;") + after, gpu).cycles;
}

// The fifth seed document, 5.1.1.1.
TEST(CostsOf1x, AreTheGuides) {
  EXPECT_EQ(cost("z = y + x;"), 4);
  EXPECT_EQ(cost("z = y * x;"), 4);
  EXPECT_EQ(cost("z = fmaf(y, x, y);"), 4);
  EXPECT_EQ(cost("z = fminf(y, x);"), 4);
  EXPECT_EQ(cost("j = i + n;"), 4);
  EXPECT_EQ(cost("j = i & n;"), 4);
  EXPECT_EQ(cost("j = min(i, n);"), 4);
  EXPECT_EQ(cost("j = i * n;"), 16);
  EXPECT_EQ(cost("j = __mul24(i, n);"), 4);
  EXPECT_EQ(cost("j = __umul24(i, n);"), 4);
  EXPECT_EQ(cost("z = rsqrtf(y);"), 16);
  EXPECT_EQ(cost("z = logf(y);"), 16);
  EXPECT_EQ(cost("z = sqrtf(y);"), 32);
  EXPECT_EQ(cost("z = sinf(y);"), 32);
  EXPECT_EQ(cost("z = cosf(y);"), 32);
  EXPECT_EQ(cost("z = expf(y);"), 32);
  EXPECT_EQ(cost("z = y / x;"), 36);
  EXPECT_EQ(cost("z = __fdividef(y, x);"), 20);
}

TEST(CostsOfFermi, FollowFromThroughputs) {
  EXPECT_EQ(cost("z = y + x;", "c2070"), 1);
  EXPECT_EQ(cost("j = i * n;", "c2070"), 2);
  EXPECT_EQ(cost("z = rsqrtf(y);", "c2070"), 8);
}

TEST(Costs, OfABranchHalfOfWhoseLanesAreOffAreIdleByHalf) {
  const Ran apart = run("if (threadIdx.x < 16) work(100); else work(100);", "c1060");
  const Ran together = run("work(100);", "c1060");
  EXPECT_NEAR(apart.cycles - together.cycles, 400, 40);
  EXPECT_NEAR(apart.idle_cycles, 400, 40);
  EXPECT_EQ(together.idle_cycles, 0);
}

TEST(OldMachines, RunSketchesAndSayThatNobodyCheckedThem) {
  for (const std::string& id : model_ids()) {
    if (!gpu_model(id).sketches_only()) continue;
    const Ran ran = run(
        "if (threadIdx.x % 2 == 0) out[threadIdx.x] = x; else out[threadIdx.x] = 7;", id.c_str());
    ASSERT_FALSE(ran.outcome.fault) << id;
    EXPECT_EQ(ran.out[4], 3.0f) << id;
    EXPECT_EQ(ran.out[5], 7.0f) << id;
    EXPECT_THAT(ran.outcome.unmodelled, testing::Contains(testing::HasSubstr("unvalidated"))) << id;
  }
}

TEST(OldMachines, MultiplyBits23To0Alone) {
  const Ran ran =
      run("out[threadIdx.x] = __mul24(0x1000003, threadIdx.x) + __mul24(-n, threadIdx.x);\n"
          "out[32 + threadIdx.x] = __umul24(0xff000002, threadIdx.x);",
          "c1060");
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(ran.out[i], static_cast<float>(3 * i - 5 * i));
    EXPECT_EQ(ran.out[32 + i], static_cast<float>(2 * i));
  }
}

}  // namespace
}  // namespace heddle::simulator
