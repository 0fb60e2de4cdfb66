// Kernels written by hand, instruction by instruction, whose cycles follow from the constants; and
// what must hold of every timed launch.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/tests/compiled_kernels.hpp"
#include "simulator/timing/launch.hpp"
#include "simulator/timing/line_cache.hpp"
#include "simulator/timing/prints_in_progress.hpp"
#include "simulator/timing/sm_places.hpp"

namespace heddle::simulator::timing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Word {
  std::uint64_t lo, hi;
};

// An instruction's bits with the compiler's part: stall count, scoreboards, what it waits for.
struct Control {
  unsigned stall = 1;
  unsigned write = 7, read = 7, wait = 0;
};
Word with(Word word, Control control) {
  const std::uint64_t bits =
      control.stall | 1u << 4 | control.write << 5 | control.read << 8 | control.wait << 11;
  word.hi |= bits << 41;
  return word;
}

// Words of sm_90, as nvcc 13.0 writes them, without control bits.
constexpr Word kFfma{0x0000000909007223, 0x0000000000000009};  // FFMA R0, R9, R9, R9
constexpr Word kImad{0x000000ffff007224, 0x00000000078e0009};  // IMAD.MOV R0, RZ, RZ, R9
constexpr Word kMufu{0x0000000000097308, 0x0000000000001000};  // MUFU.RCP R9, R0
constexpr Word kLds{0x0000000008097984, 0x0000000000000800};   // LDS R9, [R8]
constexpr Word kBar{0x0000000000007b1d, 0x0000000000010000};   // BAR.SYNC 0x0
constexpr Word kExit{0x000000000000794d, 0x0000000003800000};
constexpr Word kUldc{0x0000820000067ab9, 0x0000000000000a00};    // ULDC.64 UR6, c[0x0][0x208]
constexpr Word kLdc{0x00008400ff047b82, 0x0000000000000a00};     // LDC.64 R4, c[0x0][0x210]
constexpr Word kLdg{0x0000000604097981, 0x000000000c1e1900};     // LDG.E R9, desc[UR6][R4.64]
constexpr Word kClock{0x0000000000027805, 0x0000000000015000};   // CS2R.32 R2, SR_CLOCKLO
constexpr Word kBefore{0x000013880200780c, 0x0000000003f06070};  // ISETP.GE.U32 P0, PT, R2, 5000
constexpr Word kThreadIndex{0x0000000000007919, 0x0000000000002100};  // S2R R0, SR_TID.X
constexpr Word kStack{0x00000a00ff017b82, 0x0000000000000800};        // LDC R1, c[0x0][0x28]
constexpr Word kArrive{0x00000000000079c5, 0};                        // WARPGROUP.ARRIVE
constexpr Word kNoProduct{0x000000000418f9f0, 0x0000000008701818};    // @!PT HGMMA.64x8x16 R24, …
constexpr Word kBack{0xfffffffc00f48947, 0x000000000383ffff};  // @!P0 BRA two instructions up

constexpr std::uint64_t kSome = 20;

// The cubin with another body of one of its kernels.
std::vector<std::byte> with_body(const char* kernel, const std::vector<Word>& body) {
  DeviceMemory memory(1 << 24);
  std::vector<std::byte> bytes = machine_kernels();
  const Module module(bytes, "original", memory);
  const isa::Program& program = module.program();
  const std::uint64_t entry = program.entry(*module.cubin().find_kernel(kernel));
  const auto* const old =
      reinterpret_cast<const std::byte*>(&program.words[(entry - isa::kCodeBase) / sizeof(Word)]);
  const std::size_t size = program.range_at(entry)->size;
  const auto found = std::search(bytes.begin(), bytes.end(), old, old + size);
  EXPECT_NE(found, bytes.end());
  EXPECT_LE(body.size() * sizeof(Word), size);
  std::memcpy(&*found, body.data(), body.size() * sizeof(Word));
  return bytes;
}

class Timing : public testing::Test {
 protected:
  // One block of a kernel made of `body`, with nothing in the way but what a test is about.
  Result run(const std::vector<Word>& body, unsigned threads, const std::string& constants = "",
             std::uint64_t parameter = 0, std::optional<std::uint8_t> carveout = {},
             std::uint32_t blocks = 1) {
    const Module module(with_body(kKernel, body), "by hand", device_.memory());
    LaunchRequest request;
    request.module = const_cast<Module*>(&module);
    request.kernel = module.cubin().find_kernel(kKernel);
    request.grid = {blocks, 1, 1};
    request.block = {threads, 1, 1};
    request.preferred_carveout = carveout;
    request.parameters.resize(request.kernel->parameter_bytes);
    std::memcpy(request.parameters.data(), &parameter, sizeof parameter);
    LaunchOptions options;
    options.settings.timing = parse_options(kIdeal + constants);
    LaunchOutcome outcome = device_.launch(request, options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
    return *outcome.timing;
  }
  static std::uint64_t cycles(const Result& result, Stall stall) {
    return result.stalls[static_cast<std::size_t>(stall)];
  }
  static std::uint32_t constant(std::uint32_t Constants::*member) {
    return *gpu_model("h200").timing.*member;
  }

  static constexpr const char* kKernel = "float_atomics";
  const std::string kIdeal =
      "latency_l0_instruction_miss=0,latency_l1_instruction_miss=0,latency_l15_instruction_miss=0,"
      "latency_dram_extra=0,latency_constant_miss=0,latency_constant_l15_miss=0,l2_halves=1,"
      "warp_start_interval=0,interval_cbu=1,interval_l1_instruction_line=0,"
      "interval_l15_instruction_line=0,interval_l2_instruction_line=0,"
      "interval_dram_instruction_line=0,interval_cpc_line=1,interval_first_fetch=0,latency_operand_"
      "miss=0,interval_gpc_constant=1,latency_launch_dispatched=0,"
      "latency_launch_code=0,latency_launch_far=0,latency_launch_constants=0,launch_lines_ahead=0,"
      "latency_exit=0,sm_start_cycles=0,block_replacement_interval=1,";
  Device device_{gpu_model("h200")};
};

std::vector<Word> repeated(Word word, std::size_t count) {
  std::vector<Word> body(count, word);
  body.push_back(with(kExit, {}));
  return body;
}

TEST_F(Timing, AChainOfDependentInstructionsTakesItsStallCounts) {
  const Result result = run(repeated(with(kFfma, {.stall = 4}), kSome), 32);
  EXPECT_EQ(result.active_max, 4 * kSome + 1);
  EXPECT_EQ(result.issued, kSome + 1);
  EXPECT_EQ(cycles(result, Stall::selected), kSome + 1);
  EXPECT_EQ(cycles(result, Stall::wait), 3 * kSome);
}

TEST_F(Timing, WarpsOfASubCoreFillOneAnothersWaits) {
  const auto body = repeated(with(kFfma, {.stall = 4}), kSome);
  EXPECT_EQ(run(body, 32 * 4).active_max, 4 * kSome + 1);  // one on each of four sub-cores
  EXPECT_EQ(run(body, 32 * 16, "register_banks=4,").active_max, 4 * kSome + 4);  // four on each
}

// turns.specials.w8 of gpu/kernels/micro/timing/turns.cu: also a warp that finds room in the queue
// in the cycle in which it wants it waits until others have had it who waited for it.
TEST_F(Timing, WarpsTakeTurnsAtAFullQueue) {
  const unsigned interval = constant(&Constants::interval_xu);
  const Result result = run(repeated(with(kMufu, {.stall = interval}), kSome), 32 * 8,
                            "scheduler=greedy-then-longest-waiting,");
  EXPECT_GE(result.active_max, 2 * kSome * interval - interval);
  EXPECT_GT(result.warp_cycles, 8 * result.active_max * 9 / 10);
}

TEST_F(Timing, APipeTakesAnInstructionEveryInterval) {
  EXPECT_EQ(run(repeated(with(kFfma, {.stall = 1}), kSome), 32, "interval_fma=1,").active_max,
            kSome + 1);
  const auto body = repeated(with(kImad, {.stall = 1}), kSome);
  EXPECT_EQ(run(body, 32, "interval_imad=1,").active_max, kSome + 1);
  const Result result = run(body, 32, "interval_imad=3,");
  EXPECT_EQ(result.active_max, 3 * (kSome - 1) + 2);
  EXPECT_EQ(cycles(result, Stall::math_pipe_throttle), 2 * (kSome - 1));
}

TEST_F(Timing, FloatInstructionsLeaveHalfOfTheirUnitToIntegerOnes) {
  std::vector<Word> body;
  for (std::uint64_t i = 0; i < kSome; ++i) {
    body.push_back(with(kImad, {.stall = 1}));
    body.push_back(with(kFfma, {.stall = 1}));
  }
  body.push_back(with(kExit, {}));
  EXPECT_EQ(run(body, 32, "interval_fma=1,interval_imad=2,").active_max, 2 * kSome + 1);
}

TEST_F(Timing, CodeComesLineByLine) {
  constexpr std::size_t kLine = 8, kLast = (kSome + 1) % kLine;
  const auto body = repeated(with(kFfma, {.stall = 1}), kSome);
  const Result result = run(
      body, 32, "interval_fma=1,interval_l15_instruction_line=40,launch_l0_instruction_bytes=128,");
  EXPECT_EQ(result.active_max, 2 * 40 + kLast);
  EXPECT_EQ(cycles(result, Stall::no_instruction), 2 * (40 - kLine));
}

TEST_F(Timing, AWarpEndsWhenWhatItHasAskedForIsThere) {
  const std::vector<Word> body{with(kLdc, {.stall = 1, .write = 0}), with(kExit, {})};
  const std::uint32_t latency = constant(&Constants::latency_constant_load);
  const Result result = run(body, 32, "latency_exit=9,");
  EXPECT_EQ(result.active_max, latency);
  EXPECT_EQ(cycles(result, Stall::branch_resolving), 9u);
  EXPECT_EQ(cycles(result, Stall::drain), latency - 2 - 9);
}

TEST_F(Timing, EachWarpAsksForAnOperandThatIsNotThereYet) {
  const std::vector<Word> body{with(kUldc, {.stall = 1}), with(kExit, {})};
  const Result result = run(body, 32 * 4,
                            "latency_operand_miss=50,interval_gpc_constant=1000,interval_uniform=1,"
                            "instruction_prefetch_lines=0,latency_launch=0,"
                            "launch_l0_instruction_bytes=128,");
  // One after the other leaves the cache that the SMs of a GPC share, ten cycles apart.
  EXPECT_EQ(result.active_max, 3u * 10 + 50 + 2);
  EXPECT_EQ(cycles(result, Stall::imc_miss), 4u * 50 + 10 + 20 + 30);
}

// An instruction that moves on by lines finds four of them again.
TEST_F(Timing, ALineThatAUniformRegisterNamesIsKeptWhereItsInstructionSays) {
  constexpr Word kZero{0x0000000000067882, 0};                    // UMOV UR6, 0x0
  constexpr Word kNextLine{0x0000004006067890, 0x0fffe03f};       // UIADD3 UR6, UR6, 0x40, URZ
  constexpr Word kMoved{0x00000000060a7abb, 0x0000000008000a00};  // ULDC.64 UR10, c[0x0][UR6]
  const auto missed = [&](int lines, int rounds) {
    std::vector<Word> body;
    for (int round = 0; round < rounds; ++round) {
      body.push_back(with(kZero, {.stall = 8}));
      for (int line = 0; line < lines; ++line) {
        body.push_back(with(kMoved, {.stall = 8}));
        body.push_back(with(kNextLine, {.stall = 8}));
      }
    }
    body.push_back(with(kExit, {}));
    return cycles(run(body, 32, "latency_operand_miss=50,"), Stall::imc_miss);
  };
  EXPECT_GE(missed(4, 1), 4u * 50);
  EXPECT_EQ(missed(4, 2), missed(4, 1));
  EXPECT_EQ(missed(8, 2), 2 * missed(8, 1));
}

TEST(SetCache, OfASetTheLineReadLongestAgoIsTheFirstToGo) {
  SetCache cache;
  cache.start(2, 2);
  cache.insert(0, 10, 5);
  cache.insert(2, 11, 6);
  EXPECT_EQ(cache.arrival(0, 10), 5u);
  EXPECT_EQ(cache.arrival(1, 10), kNever);  // another set
  cache.insert(4, 12, 7);
  EXPECT_EQ(cache.arrival(0, 11), kNever);
  EXPECT_EQ(cache.arrival(0, 10), 5u);
  EXPECT_EQ(cache.arrival(0, 12), 7u);
}

// Each GPC starts its own blocks one by one.
TEST_F(Timing, FirstBlocksOfAGpcBeginOneAfterAnother) {
  const auto elapsed = [&](std::uint32_t blocks, unsigned threads) {
    return run({with(kExit, {})}, threads, "interval_gpc_block=20,interval_gpc_large_block=25,", 0,
               {}, blocks)
        .elapsed;
  };
  // The first ones are all in one GPC, the next ones in each of them.
  const std::uint32_t first = constant(&Constants::first_blocks_sms);
  EXPECT_EQ(elapsed(2, 32) - elapsed(1, 32), 20u);
  EXPECT_EQ(elapsed(2, 24 * 32) - elapsed(1, 24 * 32), 24u);
  EXPECT_EQ(elapsed(2, 32 * 32) - elapsed(1, 32 * 32), 25u);
  EXPECT_EQ(elapsed(first + 1, 32) - elapsed(1, 32), 20u * first);
  EXPECT_EQ(elapsed(first + constant(&Constants::gpcs), 32), elapsed(first + 1, 32));
}

// Half of the GPCs are farther from the half of L2 that holds the code.
TEST_F(Timing, CodeComesLaterToSomeGpcs) {
  const auto timed = [&](std::uint32_t blocks) {
    return run({with(kExit, {})}, 32,
               "latency_launch_code=100,latency_launch_far=30,l2_halves=2,interval_gpc_block=0,"
               "interval_gpc_large_block=0,",
               0, {}, blocks);
  };
  // Nine and more blocks are in the first GPC, three near ones and four far ones.
  const Result one = timed(1), each = timed(constant(&Constants::first_blocks_sms) + 8);
  EXPECT_EQ(each.active_max, one.active_max + 30);
  EXPECT_EQ(each.active_sum, 16 * one.active_sum - 3 * 30 + 4 * 30);
}

// Code goes on to a GPC's SMs when all of them have their first blocks (code_sizes.cu).
TEST_F(Timing, CodeComesLaterToGpcsThatHaveManyBlocks) {
  const auto issues = [&](std::uint32_t blocks, const char* dispatched) {
    const Result result =
        run({with(kExit, {})}, 32,
            fmt::format("latency_launch_code=100,interval_gpc_block=20,interval_gpc_large_block=20,"
                        "latency_launch_dispatched={},",
                        dispatched),
            0, {}, blocks);
    return result.elapsed;
  };
  EXPECT_EQ(issues(1, "90"), issues(1, "0"));
  EXPECT_EQ(issues(3, "90"), issues(1, "0") + 2 * 20 + 90 - 100);
}

// More of a kernel's code comes to its GPC before the first line goes on (code_sizes.cu).
TEST_F(Timing, TheFirstInstructionOfALargeKernelComesLater) {
  const auto timed = [&](std::uint32_t most, std::uint32_t blocks) {
    return run({with(kExit, {})}, 32,
               fmt::format("launch_lines_ahead={},interval_launch_line=300,l2_halves=2,"
                           "interval_gpc_block=0,interval_gpc_large_block=0,",
                           most),
               0, {}, blocks);
  };
  const Result little = timed(1, 1), some = timed(3, 1);
  EXPECT_EQ(some.active_max, little.active_max + 2 * 3);
  EXPECT_LT(timed(100'000, 1).active_max, little.active_max + 1000);  // no more than it has
  // In a GPC far from it twice as much later; in a near one not at all.
  const std::uint32_t blocks = constant(&Constants::first_blocks_sms) + 8;
  const Result all = timed(3, blocks);
  EXPECT_EQ(all.active_max, some.active_max + 3 * 3);
}

// The launch's constants come when they come: a warp whose code was there early waits the longer
// (constant.* of code_sizes.cu).
TEST_F(Timing, ConstantsOfALaunchComeByThemselves) {
  constexpr Word kMove{0x0000840000107a02, 0x0000000000000f00};  // MOV R16, c[0x0][0x210]
  const auto timed = [&](const char* code) {
    return run({with(kMove, {.stall = 5}), with(kExit, {})}, 32,
               std::string("latency_launch_constants=200,") + code);
  };
  const Result early = timed("latency_launch_code=100,"), late = timed("latency_launch_code=150,");
  EXPECT_EQ(early.active_max, late.active_max);
  EXPECT_EQ(cycles(early, Stall::imc_miss), cycles(late, Stall::imc_miss) + 50);
  EXPECT_LT(cycles(timed("latency_launch_code=300,"), Stall::imc_miss), 10u);
}

// The time from a block to the one that takes its place is longer than a quantum of time, after
// which blocks are dealt out (gap.* of replacements.cu).
TEST_F(Timing, ABlockTakesAnothersPlaceAtItsOwnTime) {
  const auto elapsed = [&](std::uint32_t latency) {
    return run({with(kExit, {})}, 1024, fmt::format("sms=1,latency_block_start={},", latency), 0,
               {}, 3)
        .elapsed;
  };
  const std::uint32_t latency = constant(&Constants::latency_block_start);
  for (const std::uint32_t more : {1u, 7u, 40u})
    EXPECT_EQ(elapsed(latency + more), elapsed(latency) + more);
}

// An SM is not active from the end of its last warp to the beginning of the next block's first,
// though that is already there (dispatch.* of cold_launches.cu).
TEST_F(Timing, AnSmThatWaitsForItsNextBlockIsNotActive) {
  const auto active = [&](std::uint32_t latency) {
    return run({with(kExit, {})}, 1024, fmt::format("sms=1,latency_block_start={},", latency), 0,
               {}, 5)
        .active_max;
  };
  EXPECT_EQ(active(5000), active(300));
}

// A block begins a fixed time after the one before, or when all warps of that one have begun.
TEST_F(Timing, BlocksOfAnSmBeginOneAfterAnother) {
  const auto elapsed = [&](unsigned threads, std::uint32_t blocks, unsigned least) {
    return run({with(kExit, {})}, threads,
               fmt::format("sms=1,sm_block_start_interval={},sm_block_start_cycles=10,"
                           "warp_start_interval=30,",
                           least),
               0, {}, blocks)
        .elapsed;
  };
  EXPECT_EQ(elapsed(32, 8, 1000), elapsed(32, 1, 1000) + 7 * 1000);
  EXPECT_EQ(elapsed(256, 3, 100), elapsed(256, 1, 100) + 2 * (10 + 8 * 30));
}

// Also the ends of blocks that no other follows (elapsed of `nothing`, block_starts.cu).
TEST_F(Timing, TheEndsOfBlocksAreNoticedOneAfterAnother) {
  const auto elapsed = [&](std::uint32_t blocks, unsigned interval) {
    return run({with(kExit, {})}, 32, fmt::format("block_replacement_interval={},", interval), 0,
               {}, blocks)
        .elapsed;
  };
  EXPECT_EQ(elapsed(1, 10'000), elapsed(1, 1));
  EXPECT_NEAR(static_cast<double>(elapsed(64, 10'000)),
              static_cast<double>(elapsed(64, 1)) + 63 * 100, 100);
}

TEST(PrintsInProgress, ACallWaitsForThePartThatIsLeftOfOthers) {
  PrintsInProgress prints;
  EXPECT_EQ(prints.wait(0, 1000), 0u);
  prints.add(1000, 100);
  EXPECT_EQ(prints.wait(0, 1000), 100u);
  EXPECT_EQ(prints.wait(750, 1000), 25u);
  prints.add(4000, 300);
  EXPECT_EQ(prints.wait(750, 1000), 325u) << "for none more than its turn";
  EXPECT_EQ(prints.wait(1000, 1000), 300u);
}

TEST(Calendar, WorkTakesTheFirstFreePlaceNotBeforeItIsGiven) {
  Calendar calendar(250);
  EXPECT_EQ(calendar.take(100), 100u);
  EXPECT_EQ(calendar.take(100), 102u);  // after 2.5 cycles
  EXPECT_EQ(calendar.take(100), 105u);
  EXPECT_EQ(calendar.take(50), 50u);  // given later, for earlier
  EXPECT_EQ(Calendar(0).take(7), 7u);
}

// Also in parts of its time that it has not been asked for before.
TEST(Calendar, WorkTakesPlacesAsAListOfThemHasIt) {
  std::mt19937_64 random(1);
  Calendar calendar(300);
  std::set<Cycle> taken;  // multiples of 3
  for (Cycle now = 0; now < 100'000; now += random() % 20) {
    const Cycle given = now + random() % 2000;
    Cycle expected = (given + 2) / 3 * 3;
    while (!taken.insert(expected).second) expected += 3;
    ASSERT_EQ(calendar.take(given), expected) << given;
  }
}

TEST_F(Timing, AConsumerIssuesWhenItsScoreboardIsReleasedAndNotACycleBefore) {
  std::vector<Word> body{with(kMufu, {.stall = 2, .write = 0}), with(kFfma, {.wait = 1}),
                         with(kExit, {})};
  for (const std::uint32_t latency : {5u, 40u}) {
    const Result result = run(body, 32, "latency_xu=" + std::to_string(latency) + ",");
    EXPECT_EQ(result.active_max, latency + 2);
    EXPECT_EQ(cycles(result, Stall::short_scoreboard), latency - 2);
  }
}

TEST_F(Timing, SharedLoadsTakeTheirLatencyAndBroadcastWithoutConflict) {
  const std::vector<Word> body{with(kLds, {.stall = 2, .write = 0}), with(kFfma, {.wait = 1}),
                               with(kExit, {})};
  EXPECT_EQ(run(body, 32).active_max, constant(&Constants::latency_shared_load) + 2);
}

// stream.*.lanes0.w32 and chain.*.lanes0 of gpu/kernels/micro/timing/no_lanes.cu: 4 cycles a store
// to global and to shared memory, and what is loaded by no lane is waited for.
TEST_F(Timing, WhatNoLaneMakesPassesTheMemoryUnit) {
  constexpr Word kLoad{0x000000000809f984, 0x0000000000000800};         // @!PT LDS R9, [R8]
  constexpr Word kStore{0x000000090400f986, 0x000000000c101906};        // @!PT STG.E [R4.64], R9
  constexpr Word kSharedStore{0x000000090800f388, 0x0000000000000800};  // @!PT STS [R8], R9
  const auto active = [&](Word word, std::size_t count) {
    std::vector<Word> body(count, with(word, {.stall = 1}));
    body.push_back(with(kExit, {}));
    return run(body, 32).active_max;
  };
  const std::uint64_t interval = constant(&Constants::lsu_address_interval);
  EXPECT_EQ(active(kStore, 24) - active(kStore, 16), 8 * interval);
  EXPECT_EQ(active(kSharedStore, 24) - active(kSharedStore, 16), 8 * interval);
  const std::uint64_t shared_interval = constant(&Constants::lsu_shared_address_interval);
  EXPECT_EQ(active(kLoad, 24) - active(kLoad, 16), 8 * shared_interval);
  const std::vector<Word> used{with(kLoad, {.stall = 2, .write = 0}), with(kFfma, {.wait = 1}),
                               with(kExit, {})};
  EXPECT_EQ(run(used, 32).active_max, constant(&Constants::latency_shared_load) + 2);
}

// shared.load128.all.same.w16 of gpu/kernels/micro/timing/wide_lanes.cu: 2 cycles.
TEST_F(Timing, WideLoadsOfOnePlaceHoldTheirSubCoreNoLongerThanTheUnit) {
  constexpr Word kLds128{0x0000000008007984, 0x0000000000000c00};  // LDS.128 R0, [R8]
  const auto active = [&](std::size_t count) {
    std::vector<Word> body(count, with(kLds128, {.stall = 1, .write = 0}));
    body.push_back(with(kFfma, {.wait = 1}));
    body.push_back(with(kExit, {}));
    return run(body, 32).active_max;
  };
  EXPECT_EQ(active(24) - active(16), (24 - 16) * 2u);
}

TEST_F(Timing, ConstantsAreServedAddressByAddress) {
  constexpr Word kByte{0x0000000000097b82, 0x0000000000000000};   // LDC.U8 R9, c[0x0][R0]
  constexpr Word kFirst{0x00000000ff097b82, 0x0000000000000000};  // LDC.U8 R9, c[0x0][RZ]
  const auto active = [&](Word load, unsigned threads, const char* each) {
    const std::vector<Word> body{with(kThreadIndex, {.stall = 2, .write = 0}),
                                 with(load, {.stall = 2, .write = 1, .wait = 1}),
                                 with(kFfma, {.wait = 2}), with(kExit, {})};
    return run(body, threads, each).active_max;
  };
  const std::uint64_t alone = active(kFirst, 32, "latency_constant_place=5,");
  EXPECT_EQ(active(kByte, 1, "latency_constant_place=5,"), alone);
  EXPECT_EQ(active(kByte, 32, "latency_constant_place=5,"), alone + 31 * 5);
}

TEST_F(Timing, LinesOfConstantsThatAreMissingAreAwaitedOneAfterTheOther) {
  constexpr Word kOneLine{0x0000080000097b82, 0x0000000000000000};  // LDC.U8 R9, c[0x0][R0+0x20]
  constexpr Word kTwo{0x00000c0000097b82, 0x0000000000000000};      // LDC.U8 R9, c[0x0][R0+0x30]
  const auto active = [&](Word load, const char* each) {
    const std::vector<Word> body{with(kThreadIndex, {.stall = 2, .write = 0}),
                                 with(load, {.stall = 2, .write = 1, .wait = 1}),
                                 with(kFfma, {.wait = 2}), with(kExit, {})};
    return run(body, 32, each).active_max;
  };
  for (const auto& [each, miss] :
       {std::pair{"latency_constant_miss=50,", 50u}, std::pair{"latency_constant_miss=90,", 90u}})
    EXPECT_EQ(active(kTwo, each), active(kOneLine, each) + miss);
}

TEST_F(Timing, AllBytesOfOneConstantAreServedAtOnce) {
  const auto active = [&](Word load) {
    std::vector<Word> body(16, with(load, {.stall = 1, .write = 0}));
    body.push_back(with(kExit, {}));
    return run(body, 4 * 32).active_max;
  };
  EXPECT_EQ(active(kLdc), active(kStack));
}

// issue.s2r.n24.w4 of gpu/kernels/micro/timing/machine_code.cu: from the first of 24 to the last,
// the mean of four warps that all wait for the queue alone.
TEST_F(Timing, SpecialRegistersWaitForTheirUnitInTheQueue) {
  constexpr unsigned kCount = 24, kWarps = 4;
  const Result result =
      run(repeated(with(kThreadIndex, {.stall = 1, .write = 0}), kCount), 32 * kWarps);
  const double waited = static_cast<double>(cycles(result, Stall::mio_throttle)) / kWarps;
  EXPECT_NEAR(kCount - 1 + waited, 88, 9);
}

// adds.*.times4 of gpu/kernels/micro/timing/stores.cu: who needs the registers waits for the
// address unit alone, and the warp's end for the rest.
TEST_F(Timing, RegistersAreReadWhenTheAddressUnitTakesAnInstruction) {
  std::vector<Word> body(4, with(kThreadIndex, {.stall = 1, .write = 0, .read = 1}));
  body.push_back(with(kFfma, {.wait = 2}));
  body.push_back(with(kExit, {}));
  const Result result = run(body, 32, "interval_special_register=100,");
  EXPECT_LT(cycles(result, Stall::short_scoreboard), 20u);
  EXPECT_GT(cycles(result, Stall::drain), 250u);
}

TEST_F(Timing, ALoadComesFromDramFirstAndFromL1Next) {
  const auto address = *device_.memory().allocate(256, "test");
  const std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0}),
                               with(kLdg, {.write = 1, .wait = 1}),
                               with(kLdg, {.write = 1, .wait = 2}), with(kExit, {.wait = 2})};
  const Result result = run(
      body, 32, "latency_dram_extra=300,latency_l15_instruction_miss=0,l2_distance=0,", address);
  const std::uint64_t expected = 7 + constant(&Constants::latency_constant_load) +
                                 constant(&Constants::latency_l2_hit) + 300 +
                                 constant(&Constants::latency_l1_hit) + 1;
  EXPECT_EQ(result.active_max, expected);
  EXPECT_EQ(result.traffic.l1_global_load.sectors, 2u);
  EXPECT_EQ(result.traffic.l1_global_load.hits, 1u);
  EXPECT_EQ(result.traffic.dram_sectors_read, 2u);  // DRAM brings 64 bytes
  EXPECT_EQ(cycles(result, Stall::long_scoreboard), constant(&Constants::latency_l2_hit) + 300 - 1 +
                                                        constant(&Constants::latency_l1_hit) - 1);
}

// 1,024 lines of 128 bytes, all of them twice: what shared memory leaves of 256 KB holds them or
// does not.
TEST_F(Timing, L1HasWhatThePreferredCarveoutLeaves) {
  constexpr Word kOwnLine{0x0000008000047825, 0x00000000078e0004};  // IMAD.WIDE.U32 R4, R0, 128, R4
  constexpr unsigned kLines = 1024, kLineBytes = 128;
  const auto address = *device_.memory().allocate(kLines * kLineBytes, "test");
  const std::vector<Word> body{with(kUldc, {.stall = 7}),
                               with(kLdc, {.stall = 1, .write = 0}),
                               with(kThreadIndex, {.stall = 2, .write = 1}),
                               with(kOwnLine, {.stall = 6, .wait = 3}),
                               with(kLdg, {.write = 2}),
                               with(kBar, {.stall = 6, .wait = 4}),
                               with(kLdg, {.write = 2}),
                               with(kExit, {.wait = 4})};
  const auto hits = [&](std::uint8_t percent) {
    const Lookups loads = run(body, kLines, "", address, percent).traffic.l1_global_load;
    EXPECT_EQ(loads.sectors, 2 * kLines);
    return loads.hits;
  };
  EXPECT_EQ(hits(0), kLines);
  EXPECT_LT(hits(100), kLines / 4);
}

// Lanes name two lines by turns, which lie as far from one another as one array's lines can.
TEST_F(Timing, LinesThatLanesNameAgainAreLookedUpOnce) {
  constexpr Word kOdd{0x0000000100007812, 0x00000000078ec0ff};  // LOP3.LUT R0, R0, 0x1, RZ, 0xc0
  constexpr Word kFar{0x0200000000047825, 0x00000000078e0004};  // IMAD.WIDE.U32 R4, R0, 2^25, R4
  const auto address = *device_.memory().allocate((1 << 25) + 4, "test");
  const Result result =
      run({with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0}),
           with(kThreadIndex, {.stall = 2, .write = 1}), with(kOdd, {.stall = 6, .wait = 2}),
           with(kFar, {.stall = 6, .wait = 1}), with(kLdg, {.write = 2}), with(kExit, {.wait = 4})},
          kWarpSize, "", address);
  EXPECT_EQ(result.traffic.l1_global_load.sectors, 2u);
  EXPECT_EQ(result.traffic.l1_global_load.hits, 0u);
}

// 32 lanes, each with a line of its own and all in one bank: 8 cycles for the lines, 31 conflicts.
TEST_F(Timing, LoadsFromL1LookLinesUpAndThenMeetInBanks) {
  constexpr Word kOwnLine{0x0000008000047825, 0x00000000078e0004};  // IMAD.WIDE.U32 R4, R0, 128, R4
  const auto address = *device_.memory().allocate(kWarpSize * 128, "test");
  const auto active = [&](const char* constants) {
    return run({with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0}),
                with(kThreadIndex, {.stall = 2, .write = 1}),
                with(kOwnLine, {.stall = 6, .wait = 3}), with(kLdg, {.write = 2}),
                with(kLdg, {.write = 2, .wait = 4}), with(kExit, {.wait = 4})},
               kWarpSize, constants, address)
        .active_max;
  };
  // What is busy meanwhile does not depend on it.
  EXPECT_EQ(active("") - active("shared_conflict_latency=1,"), 31u);
  EXPECT_EQ(active("l1_tags_per_cycle=2,") - active(""), 8u);
}

// Three stores of 32 lines each, and a load of what L1 has, 40 cycles after the last.
TEST_F(Timing, StoresWaitForTheWayToL2WithoutTheUnit) {
  constexpr Word kRow{0x0000008400047825, 0x00000000078e0004};  // IMAD.WIDE.U32 R4, R0, 132, R4
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};  // STG.E desc[UR6][R4.64], R9
  constexpr Word kNop{0x0000000000007918, 0};
  const auto address = *device_.memory().allocate(kWarpSize * 136, "test");
  const auto active = [&](unsigned stores, const char* constants) {
    std::vector<Word> body{with(kUldc, {.stall = 7}),
                           with(kLdc, {.stall = 1, .write = 0}),
                           with(kThreadIndex, {.stall = 2, .write = 1}),
                           with(kRow, {.stall = 6, .wait = 3}),
                           with(kLdg, {.write = 2}),
                           with(kNop, {.stall = 15, .wait = 4})};
    body.resize(body.size() + stores, with(kStg, {.stall = 10}));
    for (int i = 0; i < 3; ++i) body.push_back(with(kNop, {.stall = 15}));
    body.push_back(with(kLdg, {.write = 2}));
    body.push_back(with(kExit, {.wait = 4}));
    return run(body, kWarpSize, constants, address).active_max;
  };
  const char* const apart = "store_merge_cycles=0,";
  const char* const small = "store_merge_cycles=0,store_buffer_lines=1,";
  EXPECT_EQ(active(1, apart), active(0, apart) + 10);
  EXPECT_GT(active(1, small), active(1, apart));
  // 64 flits behind those of the first, of which two for each of 32 lines have room.
  EXPECT_GT(active(3, apart), active(1, apart) + 20 + 64);
}

// Threads of one warp share lines of local memory, warps do not.
TEST_F(Timing, EachWarpHasLinesOfLocalMemory) {
  constexpr Word kLdl{0xfffff80001097983, 0x0000000000100800};  // LDL R9, [R1-0x8]
  const auto loads = [&](unsigned threads, unsigned times) {
    std::vector<Word> body{with(kStack, {.write = 1})};
    body.resize(1 + times, with(kLdl, {.write = 1, .wait = 2}));
    body.push_back(with(kExit, {.wait = 2}));
    return run(body, threads).traffic.l1_local;
  };
  EXPECT_EQ(loads(32, 1).sectors, 4u);
  EXPECT_EQ(loads(64, 1).sectors, 8u);
  EXPECT_EQ(loads(64, 1).hits, 0u);
  EXPECT_EQ(loads(64, 2).hits, 8u);
}

// Eight threads store all of a sector of local memory, seven a part of it.
TEST_F(Timing, LocalStoresSayWhichBytesOfASector) {
  constexpr Word kStl{0xfffff80901007387, 0x0000000000100800};  // STL [R1-0x8], R9
  const std::vector<Word> body{with(kStack, {.write = 1}), with(kStl, {.stall = 11, .wait = 2}),
                               with(kStl, {.stall = 11}), with(kExit, {.stall = 5})};
  const auto elapsed = [&](unsigned threads, const char* constants) {
    return run(body, threads, constants).elapsed;
  };
  const char* const slow = "l2_atomic_half_interval=100000,";
  EXPECT_EQ(elapsed(8, slow), elapsed(8, ""));
  EXPECT_GT(elapsed(7, slow), elapsed(7, "") + 900);
}

// What another SM may have stored to since: none of these leaves the line in L1.
TEST_F(Timing, LoadsPastL1AndFencesTakeLinesOutOfIt) {
  constexpr Word kPastL1{0x0000000604097981, 0x000000000c1ef900};   // LDG.E.STRONG.GPU
  constexpr Word kEmpty{0x00000000ff00798f, 0x0000000002000000};    // CCTL.IVALL
  constexpr Word kNothing{0x0000000000007918, 0x0000000000000000};  // NOP
  const auto address = *device_.memory().allocate(256, "test");
  const auto hits = [&](Word between) {
    const std::vector<Word> body{
        with(kUldc, {.stall = 7}),           with(kLdc, {.stall = 1, .write = 0}),
        with(kLdg, {.write = 1, .wait = 1}), with(between, {.stall = 2, .write = 1, .wait = 2}),
        with(kLdg, {.write = 1, .wait = 2}), with(kExit, {.wait = 2})};
    return run(body, 32, "", address).traffic.l1_global_load.hits;
  };
  EXPECT_EQ(hits(kNothing), 1u);
  EXPECT_EQ(hits(kLdg), 2u);
  EXPECT_EQ(hits(kPastL1), 0u);
  EXPECT_EQ(hits(kEmpty), 0u);
}

TEST_F(Timing, StoresRightBehindOneAnotherAreSentAsOne) {
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};  // STG.E desc[UR6][R4.64], R9
  const auto address = *device_.memory().allocate(256, "test");
  const auto traffic = [&](unsigned gap, const char* constants = "") {
    const std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0}),
                                 with(kStg, {.stall = gap, .wait = 1}), with(kStg, {.stall = 2}),
                                 with(kExit, {.stall = 5})};
    return run(body, 32, constants, address).traffic;
  };
  constexpr unsigned kLongest = 11;  // a stall count without the yield hint holds up to here
  const unsigned merges = 1 + constant(&Constants::store_merge_cycles);  // the unit's cycle first
  ASSERT_LT(merges, kLongest);
  EXPECT_EQ(traffic(merges).l2_write.sectors, 1u);
  EXPECT_EQ(traffic(merges + 1).l2_write.sectors, 2u);
  EXPECT_EQ(traffic(merges, "store_merge_lines=1,").l2_write.sectors, 1u);
  EXPECT_EQ(traffic(merges).l1_global_store.sectors, 2u);
  EXPECT_EQ(traffic(merges).l1_global_store.hits, 1u);
}

// The first line is stored to again 32 cycles later: while the unit stores elsewhere, or behind
// nothing.
TEST_F(Timing, StoresAreSentAsOneWhileTheUnitStores) {
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};        // STG.E [R4.64], R9
  constexpr Word kElsewhere{0x0001000904007986, 0x000000000c101906};  // STG.E [R4.64+0x100], R9
  constexpr Word kNop{0x0000000000007918, 0};
  const auto address = *device_.memory().allocate(512, "test");
  const auto sectors = [&](Word between, const char* constants = "") {
    std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0}),
                           with(kStg, {.stall = 8, .wait = 1})};
    body.resize(body.size() + 3, with(between, {.stall = 8}));
    body.push_back(with(kStg, {.stall = 2}));
    body.push_back(with(kExit, {.stall = 5}));
    return run(body, 32, constants, address).traffic.l2_write.sectors;
  };
  EXPECT_EQ(sectors(kElsewhere), 2u);
  EXPECT_EQ(sectors(kNop), 2u);
  EXPECT_EQ(sectors(kElsewhere, "store_merge_lines=1,"), 3u);
}

// Lanes store every other word, then the words between.
TEST_F(Timing, StoresThatAreSentAsOneMayFillSectors) {
  constexpr Word kRow{0x0000000800047825, 0x00000000078e0004};     // IMAD.WIDE.U32 R4, R0, 8, R4
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};     // STG.E [R4.64], R9
  constexpr Word kOthers{0x0000040904007986, 0x000000000c101906};  // STG.E [R4.64+0x4], R9
  const auto address = *device_.memory().allocate(kWarpSize * 8, "test");
  const auto elapsed = [&](Word second, const char* constants) {
    const std::vector<Word> body{with(kUldc, {.stall = 7}),
                                 with(kLdc, {.stall = 1, .write = 0}),
                                 with(kThreadIndex, {.stall = 2, .write = 1}),
                                 with(kRow, {.stall = 6, .wait = 3}),
                                 with(kStg, {.stall = 2}),
                                 with(second, {.stall = 2}),
                                 with(kExit, {.stall = 5})};
    return run(body, kWarpSize, constants, address).elapsed;
  };
  const char* const slow = "l2_atomic_half_interval=100000,";
  EXPECT_EQ(elapsed(kOthers, slow), elapsed(kOthers, ""));
  EXPECT_GT(elapsed(kStg, slow), elapsed(kStg, "") + 900);
}

TEST_F(Timing, StoresHitTheLinesThatOthersHaveLeftSomethingOf) {
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};         // STG.E [R4.64], R9
  constexpr Word kNextSector{0x0000200904007986, 0x000000000c101906};  // STG.E [R4.64+0x20], R9
  constexpr Word kNextLine{0x0000800904007986, 0x000000000c101906};    // STG.E [R4.64+0x80], R9
  const auto address = *device_.memory().allocate(256, "test");
  const auto hits = [&](Word second) {
    const std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0}),
                                 with(kStg, {.stall = 11, .wait = 1}), with(second, {.stall = 2}),
                                 with(kExit, {.stall = 5})};
    return run(body, 32, "", address).traffic.l1_global_store.hits;
  };
  EXPECT_EQ(hits(kStg), 1u);
  EXPECT_EQ(hits(kNextSector), 1u);
  EXPECT_EQ(hits(kNextLine), 0u);
}

TEST_F(Timing, StoresToOneSectorPassOverItOneAfterTheOther) {
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};  // STG.E desc[UR6][R4.64], R9
  const auto address = *device_.memory().allocate(256, "test");
  const auto elapsed = [&](unsigned stores) {
    std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0})};
    for (unsigned i = 0; i < stores; ++i) body.push_back(with(kStg, {.stall = 11, .wait = 1}));
    body.push_back(with(kExit, {.stall = 5}));
    return run(body, 32, "l2_atomic_half_interval=100000,", address).elapsed;
  };
  constexpr std::uint64_t kPass = 1000;  // cycles
  EXPECT_NEAR(static_cast<double>(elapsed(3) - elapsed(2)), kPass, 20);
}

// Three stores that take L2 a thousand cycles each, a load of another line, and when that is there
// another store and the end.
TEST_F(Timing, WhatFollowsStoresWaitsForThoseThatL2HasNotTaken) {
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};  // STG.E desc[UR6][R4.64], R9
  constexpr Word kOther{0x0040000604097981, kLdg.hi};           // LDG.E R9, desc[UR6][R4.64+0x4000]
  const auto address = *device_.memory().allocate(0x8000, "test");
  const auto active = [&](const std::string& constants) {
    std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0})};
    for (unsigned i = 0; i < 3; ++i) body.push_back(with(kStg, {.stall = 11, .wait = 1}));
    body.push_back(with(kOther, {.write = 2}));
    body.push_back(with(kStg, {.stall = 11, .wait = 4}));
    body.push_back(with(kExit, {.stall = 5}));
    return run(body, 32, "l2_atomic_half_interval=100000," + constants, address).active_max;
  };
  EXPECT_LT(active(""), 1000u);
  EXPECT_GT(active("sm_passing_passes=1,"), 1100u);
  EXPECT_GT(active("sm_leaving_passes=1,"), 2000u);
}

TEST_F(Timing, ALaunchEndsWhenItsStoresAreDone) {
  constexpr Word kStg{0x0000000904007986, 0x000000000c101906};  // STG.E desc[UR6][R4.64], R9
  const auto address = *device_.memory().allocate(256, "test");
  const std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0}),
                               with(kStg, {.stall = 2, .wait = 1}), with(kExit, {.stall = 5})};
  constexpr std::uint64_t kFar = 1000;
  const Result result = run(body, 32, "latency_l2_hit=" + std::to_string(kFar) + ",", address);
  EXPECT_LT(result.active_max, kFar);
  EXPECT_GE(result.elapsed,
            constant(&Constants::latency_launch) + kFar + constant(&Constants::latency_launch_end));
}

TEST_F(Timing, AWideProductHoldsItsSubCore) {
  constexpr Word kWide{0x00000009090c7825, 0x00000000078e00ff};  // IMAD.WIDE.U32 R12, R9, R9, RZ
  constexpr Word kMov{0x0000000c00097202, 0x0000000000000f00};   // MOV R9, R12
  const auto held = [&](std::vector<Word> body) {
    body.push_back(with(kExit, {}));
    return cycles(run(body, 32, "issue_wide_product=3,latency_product_read=7,"),
                  Stall::dispatch_stall);
  };
  EXPECT_EQ(held({with(kMov, {.stall = 4})}), 0u);
  EXPECT_EQ(held({with(kWide, {.stall = 4})}), 3u);
  EXPECT_EQ(held({with(kMov, {.stall = 5}), with(kWide, {.stall = 4})}), 3u + 7);
  EXPECT_EQ(held({with(kMov, {.stall = 6}), with(kWide, {.stall = 4})}), 3u);
  // The fifth warp shares the first one's sub-core; each of their products holds up the other.
  const auto others_wait = [&](const char* product) {
    const std::vector<Word> body{with(kMov, {.stall = 7}), with(kMov, {.stall = 1}),
                                 with(kWide, {.stall = 8}), with(kExit, {})};
    return cycles(run(body, 32 * 5, product), Stall::not_selected);
  };
  EXPECT_EQ(
      others_wait("warp_start_interval=2,latency_product_read=0,issue_wide_product=3,"),
      2 * 3 + others_wait("warp_start_interval=2,latency_product_read=0,issue_wide_product=0,"));
}

TEST_F(Timing, YieldsOfASubCoreFollowOneAnother) {
  constexpr Word kYield{0x0000000000007946, 0x0000000003800000};
  const std::vector<Word> body{with(kYield, {}), with(kYield, {}), with(kExit, {})};
  const auto active = [&](unsigned threads, const char* constants) {
    return run(body, threads, constants).active_max;
  };
  EXPECT_EQ(active(32, "latency_yield=60,interval_yield=0,"),
            active(32, "latency_yield=50,interval_yield=0,") + 2 * 10);
  // The fifth warp shares the first one's sub-core.
  EXPECT_EQ(active(4 * 32, "latency_yield=50,interval_yield=40,"),
            active(4 * 32, "latency_yield=50,interval_yield=0,"));
  EXPECT_GE(active(5 * 32, "latency_yield=50,interval_yield=40,"),
            active(5 * 32, "latency_yield=50,interval_yield=0,") + 30);
}

TEST_F(Timing, AYieldTakesTwiceItsTimeBesideLanesThatWaitForTheWarp) {
  constexpr Word kLane{0x0000000000007919, 0x0000000000000000};   // S2R R0, SR_LANEID
  constexpr Word kLower{0x000000100000780c, 0x0000000003f01270};  // ISETP.LT.U32 P0, R0, 16
  constexpr Word kOver{0x0000000000080947, 0x0000000003800000};   // @P0 BRA over two
  constexpr Word kYield{0x0000000000007946, 0x0000000003800000};
  constexpr Word kTogether{0x0000000000007948, 0x0000000003800000};  // WARPSYNC.ALL
  const std::vector<Word> body{with(kLane, {.stall = 2, .write = 0}),
                               with(kLower, {.stall = 13, .wait = 1}),
                               with(kOver, {.stall = 5}),
                               with(kYield, {}),
                               with(kYield, {}),
                               with(kTogether, {.stall = 5}),
                               with(kExit, {})};
  const auto active = [&](const char* latency) { return run(body, 32, latency).active_max; };
  // At the second one at the latest they wait.
  EXPECT_GE(active("latency_yield=60,"), active("latency_yield=50,") + (1 + 2) * 10);
}

TEST_F(Timing, WarpsLeaveABarrierTogether) {
  std::vector<Word> body{with(kBar, {.stall = 5}), with(kExit, {})};
  const Result result =
      run(body, 96, "warp_start_interval=50,latency_barrier=11,interval_barrier_arrival=3,");
  // All go on together, the last to come a cycle later. Until its stall count has run each is seen
  // to wait for that.
  EXPECT_EQ(result.active_max, 100u + 11 + 2);
  EXPECT_EQ(cycles(result, Stall::barrier), 106u + 56u + 7u);
}

TEST_F(Timing, ABarrierTakesArrivalsOneByOne) {
  const std::vector<Word> body{with(kBar, {.stall = 5}), with(kExit, {})};
  const auto active = [&](unsigned warps, const char* interval) {
    return run(body, warps * kWarpSize, std::string("latency_barrier=11,") + interval).active_max;
  };
  EXPECT_EQ(active(1, "interval_barrier_arrival=3,"), active(1, "interval_barrier_arrival=2,"));
  // Four warps, each of a sub-core, arrive together.
  EXPECT_EQ(active(4, "interval_barrier_arrival=3,"), active(4, "interval_barrier_arrival=2,") + 3);
}

// validation/records/h200/micro/queue_waits.json.zst: where LDS stands among loads from global
// memory, warps that wait to issue one of these are seen to wait for the other queue mostly.
TEST_F(Timing, AQueueOfGlobalMemoryIsSaidToBeFullWhereNothingElseIsInIt) {
  const auto address = *device_.memory().allocate(256, "test");
  const auto stalls = [&](bool mixed) {
    std::vector<Word> body{with(kUldc, {.stall = 7}), with(kLdc, {.stall = 1, .write = 0})};
    for (int i = 0; i < 32; ++i) {
      body.push_back(with(kLdg, {.stall = 1, .write = 1, .wait = i == 0 ? 1u : 0u}));
      if (mixed && i % 4 == 3) body.push_back(with(kLds, {.stall = 1, .write = 2}));
    }
    body.push_back(with(kExit, {}));
    const Result result = run(body, 512, "", address);
    return std::pair{cycles(result, Stall::lg_throttle), cycles(result, Stall::mio_throttle)};
  };
  const auto [alone_lg, alone_mio] = stalls(false);
  EXPECT_GT(alone_lg, 10 * alone_mio);
  const auto [mixed_lg, mixed_mio] = stalls(true);
  EXPECT_GT(mixed_mio, mixed_lg);
  EXPECT_GT(mixed_lg, 0u);
}

// BAR, and behind it `count` products.
std::vector<Word> products_behind_a_barrier(std::size_t count) {
  std::vector<Word> body{with(kBar, {.stall = 5})};
  body.insert(body.end(), count, with(kFfma, {.stall = 4}));
  body.push_back(with(kExit, {}));
  return body;
}

// behind.*.late of gpu/kernels/micro/timing/behind_barriers.cu.
TEST_F(Timing, WhatOnlyComputesIssuesBeforeABarrierOpensForTheLastToCome) {
  const auto active = [&](std::size_t count) {
    return run(products_behind_a_barrier(count), 64, "warp_start_interval=50,latency_barrier=13,")
        .active_max;
  };
  EXPECT_EQ(active(2), active(0));
  EXPECT_GT(active(4), active(0));
}

// behind.*.early; what the stall counts take is seen as the wait for the barrier (samples of
// `reduce_halves` in validation/records/h200/sampled).
TEST_F(Timing, WhatOnlyComputesHasIssuedWhereItsWarpHasWaitedAtABarrier) {
  const auto behind = [&](std::size_t count) {
    return run(products_behind_a_barrier(count), 64, "warp_start_interval=200,");
  };
  const Result none = behind(0), many = behind(16);
  EXPECT_EQ(many.warp_cycles - many.active_max, none.warp_cycles - none.active_max);  // the first
  EXPECT_EQ(many.issued, none.issued + 2 * 16);
  EXPECT_EQ(cycles(many, Stall::wait), cycles(none, Stall::wait) + 16 * 3);  // the last to come
}

// Eight warps of a sub-core, which issues one product in a cycle.
TEST_F(Timing, WhatIssuesBeforeABarrierOpensTakesItsTurns) {
  const Result result = run(products_behind_a_barrier(16), 1024, "latency_barrier=13,");
  EXPECT_GE(result.active_max, 8u * 16);
}

// behind.*.w32.early: warp 0, which issues last before its sub-core waits, goes on after warp 4.
TEST_F(Timing, AWarpThatHasWaitedAtABarrierTakesItsTurnBehindIt) {
  constexpr Word kFirstWarp{0x000000200000780c, 0x0000000003f01270};  // ISETP.LT.U32 P0, R0, 32
  constexpr Word kOverTen{0x0000000000288947, 0x0000000003800000};    // @!P0 BRA over ten
  constexpr Word kOverThirty{0x0000000000788947, 0x0000000003800000};
  constexpr Word kNop{0x0000000000007918, 0};
  const auto active = [&](std::size_t between) {
    std::vector<Word> body{with(kThreadIndex, {.stall = 2, .write = 0}),
                           with(kFirstWarp, {.stall = 11, .wait = 1}),
                           with(kOverThirty, {.stall = 5})};
    body.insert(body.end(), 30, with(kNop, {.stall = 11}));
    body.push_back(with(kBar, {.stall = 5}));
    body.insert(body.end(), between, with(kNop, {}));
    body.push_back(with(kOverTen, {.stall = 5}));
    body.insert(body.end(), 10, with(kNop, {.stall = 11}));
    body.push_back(with(kExit, {}));
    return run(body, 256, "warp_start_interval=60,").active_max;
  };
  EXPECT_EQ(active(8), active(0) + 16);
}

TEST_F(Timing, AGroupsProductsAwaitTheArrivalOfItsLastWarp) {
  const std::vector<Word> body{with(kArrive, {}), with(kNoProduct, {}), with(kExit, {})};
  const Result result = run(body, 128, "warp_start_interval=50,");
  EXPECT_NEAR(static_cast<double>(cycles(result, Stall::gmma)), 150 + 100 + 50, 6);
  EXPECT_EQ(cycles(run(body, 128), Stall::gmma), 0u);
}

TEST_F(Timing, ALoopThatWaitsForTheClockEnds) {
  const std::vector<Word> body{with(kClock, {.stall = 6}), with(kBefore, {.stall = 13}),
                               with(kBack, {.stall = 5}), with(kExit, {})};
  const Result result = run(body, 32);
  const std::uint32_t turn = 6 + 13 + constant(&Constants::latency_branch_taken);
  EXPECT_NEAR(static_cast<double>(result.active_max + constant(&Constants::latency_launch)), 5000,
              2 * turn);
}

TEST_F(Timing, ALoopThatWaitsForTheClockEndsUntimedToo) {
  const std::vector<Word> body{with(kClock, {.stall = 6}), with(kBefore, {.stall = 13}),
                               with(kBack, {.stall = 5}), with(kExit, {})};
  Module module(with_body(kKernel, body), "by hand", device_.memory());
  LaunchRequest request;
  request.module = &module;
  request.kernel = module.cubin().find_kernel(kKernel);
  request.block = {32, 1, 1};
  request.parameters.resize(request.kernel->parameter_bytes);
  LaunchOptions options;
  options.settings.max_instructions = 100'000;
  EXPECT_FALSE(device_.launch(request, options).fault);
}

// FFMA of a destination and three sources.
Word ffma(std::uint64_t d, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return {0x7223 | d << 16 | a << 24 | b << 32, c};
}
constexpr std::uint64_t kNoRegister = 255;

// Two of one bank are read in two cycles, the next instruction's in the two behind, but not from
// the same two places (ports.f8_10_z-a8_6_z-n-n.w1 of gpu/kernels/micro/timing/ports.cu).
TEST_F(Timing, PlacesOfRegistersThatWereReadLateAreTaken) {
  constexpr Word kNop{0x0000000000007918, 0};
  const auto stalls = [&](Word second) {
    const std::vector<Word> body{with(ffma(0, 8, 10, kNoRegister), {.stall = 1}),
                                 with(second, {.stall = 1}), with(kNop, {.stall = 1}),
                                 with(kNop, {.stall = 8}), with(kExit, {})};
    return cycles(run(body, 32), Stall::dispatch_stall);
  };
  EXPECT_EQ(stalls(ffma(2, 8, 6, kNoRegister)), 1u);
  EXPECT_EQ(stalls(ffma(2, 8, kNoRegister, 6)), 0u);
}

// One of two registers of a bank comes straight from where it was computed (ports.fresh.*).
TEST_F(Timing, OfTwoNewRegistersOfABankTheOlderIsAwaited) {
  const auto stalls = [&](std::uint64_t second, unsigned stall) {
    const std::vector<Word> body{
        with(ffma(4, kNoRegister, kNoRegister, kNoRegister), {.stall = 1}),
        with(ffma(second, kNoRegister, kNoRegister, kNoRegister), {.stall = stall}),
        with(ffma(0, 4, second, kNoRegister), {.stall = 8}), with(kExit, {})};
    return cycles(run(body, 32, "latency_register_write=8,"), Stall::dispatch_stall);
  };
  EXPECT_EQ(stalls(6, 4), 3u);
  EXPECT_EQ(stalls(6, 5), 2u);
  EXPECT_EQ(stalls(6, 6), 0u);
  EXPECT_EQ(stalls(5, 4), 0u);
}

TEST_F(Timing, RegistersOfOneBankAreReadInTurn) {
  // Three registers of one bank, every cycle: its port is busy for three.
  const Word odd{0x0000000307007223, 0x0000000000000009};  // FFMA R0, R7, R3, R9
  const auto body = repeated(with(odd, {.stall = 1}), kSome);
  const Result result = run(body, 32, "register_banks=2,register_reads_per_bank=1,interval_fma=1,");
  EXPECT_EQ(cycles(result, Stall::dispatch_stall), 2 * (kSome - 1));
  EXPECT_EQ(
      cycles(run(body, 32, "register_reads_per_bank=3,interval_fma=1,"), Stall::dispatch_stall),
      0u);
}

// Two warps on each of four sub-cores: one is picked a cycle after the other, whose registers are
// read for three, and holds its stall count up for two (issue_waits.cu).
TEST_F(Timing, StallCountsStandStillWhileAWarpThatIsPickedWaitsForItsRegisters) {
  const Word odd{0x0000000307007223, 0x0000000000000009};  // FFMA R0, R7, R3, R9
  const auto body = repeated(with(odd, {.stall = 4}), kSome);
  const auto waits = [&](const char* ports) { return cycles(run(body, 256, ports), Stall::wait); };
  const std::uint64_t free = waits("register_reads_per_bank=3,interval_fma=1,");
  EXPECT_EQ(free, 8 * kSome * 3);
  EXPECT_GE(waits("register_banks=2,register_reads_per_bank=1,interval_fma=1,"),
            free + 4 * 2 * (kSome - 1));
}

// What must hold whatever the kernel: here those of tests/kernels/machine.cu, timed and not.
class TimedKernel : public testing::TestWithParam<const char*> {
 protected:
  LaunchOutcome run(const std::optional<Options>& timing) {
    Device device(gpu_model("h200"));
    Module module(machine_kernels(), "machine.cubin", device.memory());
    std::vector<std::uint64_t> parameters;
    for (int i = 0; i < 3; ++i) {
      buffers_[i] = *device.memory().allocate(kBytes, "test");
      std::memset(device.memory().view(buffers_[i], kBytes), 0, kBytes);
      parameters.push_back(buffers_[i]);
    }
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel(GetParam());
    request.grid = {40, 1, 1};
    request.block = {64, 1, 1};
    request.parameters.resize(std::max<std::size_t>(24, request.kernel->parameter_bytes));
    std::memcpy(request.parameters.data(), parameters.data(), 24);
    LaunchOptions options;
    options.settings.timing = timing;
    options.settings.reconvergence =
        ReconvergencePolicy::barriers;  // untimed too as without patches
    LaunchOutcome outcome = device.launch(request, options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
    left_ = digest_memory(device.memory());
    return outcome;
  }
  static constexpr std::size_t kBytes = 1 << 16;
  std::array<std::uint64_t, 3> buffers_{};
  std::vector<MemoryRecord> left_;
};

INSTANTIATE_TEST_SUITE_P(Kernels, TimedKernel,
                         testing::Values("histogram", "recursion", "barrier_on_both_sides",
                                         "exit_before_barrier"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(TimedKernel, LeavesTheMemoryAndTheCountsOfTheUntimedOne) {
  const LaunchOutcome plain = run({});
  const auto expected = left_;
  const LaunchOutcome timed = run(Options{});
  ASSERT_EQ(left_.size(), expected.size());
  for (std::size_t i = 0; i < left_.size(); ++i) EXPECT_EQ(left_[i].sha256, expected[i].sha256);
  EXPECT_EQ(timed.counts.size(), plain.counts.size());
  for (const auto& [pc, counts] : plain.counts) {
    EXPECT_EQ(timed.counts[pc].executed, counts.executed) << pc;
    EXPECT_EQ(timed.counts[pc].threads_on, counts.threads_on) << pc;
    EXPECT_EQ(timed.counts[pc].sectors_global, counts.sectors_global) << pc;
  }
}

TEST_P(TimedKernel, AccountsForEveryCycleOfEveryWarp) {
  for (const std::string_view policy : policy_names()) {
    Options options;
    options.policy = policy_named(policy);
    const LaunchOutcome outcome = run(options);
    const Result& result = *outcome.timing;
    EXPECT_EQ(std::accumulate(result.stalls.begin(), result.stalls.end(), std::uint64_t{0}),
              result.warp_cycles)
        << policy;
    EXPECT_EQ(result.stalls[0], result.issued) << policy;
    EXPECT_LE(result.issued, result.active_sum * result.sub_cores) << policy;
    const std::uint64_t executed = outcome.counts.executed();
    EXPECT_EQ(executed, result.issued) << policy;
    EXPECT_LE(result.active_max, result.elapsed) << policy;
  }
}

TEST_P(TimedKernel, TakesTheSameTimeEveryTime) {
  const LaunchOutcome first = run(Options{}), second = run(Options{});
  EXPECT_EQ(first.timing->elapsed, second.timing->elapsed);
  EXPECT_EQ(first.timing->stalls, second.timing->stalls);
}

// Blocks of two that read each other's shared memory between two of the cluster's barriers.
class TimedCluster : public testing::Test {
 protected:
  LaunchOutcome run(const std::string& timing, unsigned threads = 1) {
    Device device(gpu_model("h200"));
    Module module(compiled_kernels("simulator/checks/tests/kernels/planted.sm_90.cubin"),
                  "planted.cubin", device.memory());
    const std::uint64_t data = *device.memory().allocate(kBytes, "test");
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel("other_block_repaired");
    request.grid = {kBlocks, 1, 1};
    request.block = {32, 1, 1};
    request.parameters.resize(request.kernel->parameter_bytes);
    std::memcpy(request.parameters.data(), &data, sizeof data);
    LaunchOptions options;
    options.settings.threads = threads;
    options.settings.threads_after = 0;
    options.observer = &watcher_;
    options.settings.timing = parse_options(timing);
    LaunchOutcome outcome = device.launch(request, options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
    read_.resize(32 * kBlocks);
    std::memcpy(read_.data(), device.memory().view(data + 4 * 64, 4 * read_.size()),
                4 * read_.size());
    return outcome;
  }
  struct Watcher : Observer {
    std::vector<std::uint32_t> sms = std::vector<std::uint32_t>(kBlocks);
    void issued(const CoreView&, const WarpView& warp, const Issue&) override {
      sms[warp.block().linear()] = warp.block().sm();
    }
  };
  static constexpr std::uint32_t kBlocks = 64;
  static constexpr std::size_t kBytes = 1 << 16;
  Watcher watcher_;
  std::vector<std::int32_t> read_;
};

TEST_F(TimedCluster, IsOnDifferentSmsOfOneGpc) {
  const LaunchOutcome outcome = run("on");
  ASSERT_TRUE(outcome.timing);
  const auto places = sm_places(*gpu_model("h200").timing, gpu_model("h200").sms);
  for (std::uint32_t block = 0; block < kBlocks; block += 2) {
    EXPECT_EQ(places[watcher_.sms[block]].gpc, places[watcher_.sms[block + 1]].gpc) << block;
    EXPECT_NE(watcher_.sms[block], watcher_.sms[block + 1]) << block;
  }
  for (std::uint32_t i = 0; i < read_.size(); ++i)
    EXPECT_EQ(read_[i], i / 32 % 2 == 0 ? 1 : 0) << i;
}

TEST_F(TimedCluster, TakesTheSameTimeForAnyNumberOfThreads) {
  const LaunchOutcome one = run("on", 1), four = run("on", 4);
  EXPECT_EQ(one.timing->elapsed, four.timing->elapsed);
  EXPECT_EQ(one.timing->stalls, four.timing->stalls);
  EXPECT_EQ(std::accumulate(one.timing->stalls.begin(), one.timing->stalls.end(), std::uint64_t{0}),
            one.timing->warp_cycles);
}

TEST_F(TimedCluster, WaitsAtItsBarrierAndForTheOtherBlocksMemory) {
  // Code comes to all SMs of a GPC at once, and no refresh makes one wait.
  const auto active = [this](const std::string& constants) {
    return static_cast<double>(
        run("interval_cpc_line=1,dram_refresh_cycles=0," + constants).timing->active_max);
  };
  const double before = active("latency_cluster_barrier=300,latency_cluster_extra=200");
  // Two barriers, one load between them; a cycle more or less by whose turn it is.
  EXPECT_NEAR(active("latency_cluster_barrier=310,latency_cluster_extra=200"), before + 2 * 10, 2);
  EXPECT_NEAR(active("latency_cluster_barrier=300,latency_cluster_extra=230"), before + 30, 2);
}

TEST_F(TimedCluster, SharesAnSmWhereThereIsNoOther) {
  const LaunchOutcome outcome = run("sms=1,gpcs=1");
  EXPECT_TRUE(outcome.timing);
  EXPECT_EQ(watcher_.sms[0], watcher_.sms[1]);
}

TEST(TimingOptions, AreReadFromText) {
  const Options options = parse_options("scheduler=two-level,caches=warm,sms=4,latency_xu=9");
  EXPECT_EQ(options.policy, Policy::two_level);
  EXPECT_FALSE(options.cold_caches);
  EXPECT_EQ(options.sms, 4u);
  ASSERT_EQ(options.overrides.size(), 1u);
  EXPECT_EQ(options.overrides[0].second, 9u);
}

TEST(TimingOptions, ThatAreWrongAreRefusedByName) {
  const auto reading = [](const char* text) { return [text] { parse_options(text); }; };
  EXPECT_THAT(
      reading("latency_sharedload=4"),
      ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean \"latency_shared_load\"")));
  EXPECT_THAT(reading("scheduler=best"), ThrowsMessage<std::invalid_argument>(HasSubstr(
                                             "greedy-then-longest-waiting, greedy-then-youngest")));
  EXPECT_THAT(reading("sms=0"), ThrowsMessage<std::invalid_argument>(HasSubstr("sms=0")));
  EXPECT_THAT(reading("latency_xu=fast"),
              ThrowsMessage<std::invalid_argument>(HasSubstr("not a whole number")));
  Options options;
  const auto refusal = [&](const char* name, std::uint32_t value, const char* message) {
    options.overrides = {{name, value}};
    EXPECT_THAT([&] { constants_for(gpu_model("h200"), options); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(message)));
  };
  refusal("l2_slices", 0, "l2_slices: must be positive");
  refusal("sub_cores", 32, "sub_cores: at most 31");
  refusal("l1_bytes", (4 << 20) + 1, "l1_bytes: at most 4194304");
  refusal("l2_halves", 1 << 16, "l2_halves: at most 65535");
  refusal("l2_slices", 1 << 16, "l2_slices: at most 65535");
}

}  // namespace
}  // namespace heddle::simulator::timing
