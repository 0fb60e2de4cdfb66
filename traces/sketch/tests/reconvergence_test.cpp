// The same programs under each reconvergence policy: sketches written for it, and compiled kernels
// (tests/kernels/machine.cu).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "simulator/device/device.hpp"
#include "simulator/device/replay.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/tests/compiled_kernels.hpp"
#include "simulator/warp/reconvergence_points.hpp"
#include "traces/sketch/launches.hpp"
#include "traces/sketch/run_sketch.hpp"

namespace heddle::simulator {
namespace {

struct Result {
  LaunchOutcome outcome;
  std::vector<int> out;
  std::map<std::uint32_t, std::uint64_t> executed;   // warp instructions by line
  std::map<std::uint32_t, std::uint64_t> divergent;  // divergent branches by line
  std::uint64_t warp_instructions = 0;
};

Result run(const std::string& text, ReconvergencePolicy policy, const char* gpu = "h200") {
  SketchProgram program(isa::sketch::compile(text, "test.warp"), "test.warp", gpu_model(gpu));
  Result result;
  LaunchOptions options;
  options.settings.reconvergence = policy;
  options.settings.max_instructions = 10'000'000;
  program.run(isa::sketch::choose_launches(program.compiled(), {}).at(0), 1, options,
              [&](const SketchProgram::Ran& ran) {
                result.outcome = ran.outcome;
                const auto bytes = program.contents(ran.arrays.at(0));
                result.out.resize(bytes.size() / sizeof(int));
                std::memcpy(result.out.data(), bytes.data(), bytes.size());
                for (const auto& [i, counts] : ran.outcome.counts) {
                  const auto position =
                      program.module().position(isa::kCodeBase + sizeof(isa::Word) * i).value();
                  result.executed[position.line] += counts.executed;
                  result.divergent[position.line] += counts.branch_divergent;
                  result.warp_instructions += counts.executed;
                }
              });
  return result;
}

std::string kernel(const std::string& lines, const std::string& launch = "<<<2, 64>>>") {
  return "__global__ void k(int *out) {\nint t = threadIdx.x;\n" + lines + "\n}\nk" + launch +
         "(zeros(64));\n";
}
constexpr std::uint32_t kLine = 3;  // the first of `lines`

class EachPolicy : public testing::TestWithParam<ReconvergencePolicy> {};
INSTANTIATE_TEST_SUITE_P(Policies, EachPolicy,
                         testing::Values(ReconvergencePolicy::barriers, ReconvergencePolicy::stack,
                                         ReconvergencePolicy::min_pc),
                         [](const auto& instance) {
                           std::string name(simulator::info(instance.param).name);
                           std::erase(name, '-');
                           return name;
                         });

// What each writes does not depend on who runs first.
constexpr const char* kPrograms[] = {
    "if (t % 2 == 0) out[t] = 1; else out[t] = 2;",
    "for (int i = 0; i < t % 5; ++i)\n  for (int j = 0; j < i + t % 3; ++j)\n    out[t] += i * j + "
    "1;",
    "for (int i = 0; i < 8; ++i) {\n  if (t % 32 == i * 4) break;\n  if (t % 7 == i) continue;\n  "
    "out[t] += i;\n}\nout[t] += 100;",
    "switch (t % 6) {\n  case 0: out[t] = 5;\n  case 1: out[t] += 7; break;\n  case 2: return;\n  "
    "case 4: out[t] = 9; break;\n  default: out[t] = 11;\n}\nout[t] += 1000;",
    "if (t % 3 == 0) return;\nif (t % 2 == 0) { out[t] = 3; if (t % 5 == 0) return; out[t] += 4; "
    "}\nout[t] += 50;",
    "int i = 0;\ndo { if (t % 4 == 1 && i % 2 == 0 || t % 4 == 3) out[t] += i; ++i; } while (i < t "
    "% 9);",
};

TEST_P(EachPolicy, GivesEveryProgramTheResultItHasByBarriers) {
  for (const char* lines : kPrograms) {
    const Result result = run(kernel(lines), GetParam());
    ASSERT_FALSE(result.outcome.fault) << lines << "\n" << result.outcome.fault->message();
    EXPECT_EQ(result.out, run(kernel(lines), ReconvergencePolicy::barriers).out) << lines;
  }
}

TEST_P(EachPolicy, BringsTheSidesOfAnIfTogetherBehindIt) {
  const Result result =
      run(kernel("if (t % 2 == 0)\n  out[t] = 1;\nelse\n  out[t] = 2;\nout[t] += t;"), GetParam());
  constexpr std::uint64_t kWarps = 4;
  EXPECT_EQ(result.divergent.at(kLine), kWarps);
  EXPECT_EQ(result.executed.at(kLine + 4) % kWarps, 0u);
  const Result together = run(kernel("\n\n\n\nout[t] += t;"), GetParam());
  EXPECT_EQ(result.executed.at(kLine + 4), together.executed.at(kLine + 4))
      << "once for each warp, not once for each side";
}

TEST_P(EachPolicy, ReadsTheSameOfAWarpsBarrier) {
  const Result result =
      run(kernel("__shared__ int a[64];\na[t] = t;\nif (t % 2 == 0) a[t] += 1;\n__syncthreads();\n"
                 "out[t] = a[63 - t];"),
          GetParam());
  ASSERT_FALSE(result.outcome.fault);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(result.out[i], 63 - i + (i % 2 == 1 ? 1 : 0));
}

// Every thread draws a number and waits until it is its turn.
const std::string kTicketLock = kernel(
    "int mine = atomicAdd(&out[0], 1);\nwhile (out[1] != mine) out[3] = 0;\nout[2] += 1;\nout[1] "
    "+= 1;",
    "<<<1, 32>>>");

TEST(StackPolicy, ReportsALockThatItsThreadsWaitForInTheirOwnWarp) {
  const Result result = run(kTicketLock, ReconvergencePolicy::stack);
  ASSERT_TRUE(result.outcome.fault);
  EXPECT_EQ(result.outcome.fault->kind, Fault::Kind::deadlock);
  const std::string& details = result.outcome.fault->details;
  EXPECT_THAT(details, testing::HasSubstr("post-dominator stack"));
  EXPECT_THAT(details, testing::HasSubstr("warp 0 lanes 00000001: waits to reconverge with lanes "
                                          "fffffffe"));
  EXPECT_THAT(details,
              testing::HasSubstr("warp 0 lanes fffffffe: spins without changing anything"));
  EXPECT_THAT(details, testing::HasSubstr("test.warp:4"));
}

// The sketch's loop has no YIELD: nothing makes those that spin give way.
TEST(Barriers, DoNotHangWhereALockDeadlocksEither) {
  SketchProgram program(isa::sketch::compile(kTicketLock, "test.warp"), "test.warp",
                        gpu_model("h200"));
  program.run(program.compiled().launches.at(0), 1, {}, [](const SketchProgram::Ran& ran) {
    ASSERT_TRUE(ran.outcome.fault);
    EXPECT_EQ(ran.outcome.fault->kind, Fault::Kind::deadlock);
  });
}

TEST(MinPcPolicy, ReportsALockWhoseWaitingLoopLiesAboveIt) {
  const Result result = run(kTicketLock, ReconvergencePolicy::min_pc);
  ASSERT_TRUE(result.outcome.fault);
  EXPECT_EQ(result.outcome.fault->kind, Fault::Kind::deadlock);
}

TEST(StackPolicy, DoesNotTakeAWaitForAnotherBlockForADeadlock) {
  // Block 0 spins until block 1 has come, far longer than a turn lasts.
  const Result result =
      run(kernel("if (blockIdx.x == 0) { while (out[1] == 0) out[3] = 0; out[2] = 7; }\nelse { "
                 "for (int i = 0; i < 500; ++i) work(400); out[1] = 1; }",
                 "<<<2, 32>>>"),
          ReconvergencePolicy::stack);
  ASSERT_FALSE(result.outcome.fault) << result.outcome.fault->message();
  EXPECT_EQ(result.out[2], 7);
}

TEST(StackPolicy, ReportsALaneThatWaitsAtSyncwarpForOnesBelowIt) {
  const Result result = run(kernel("if (t < 16) { out[t] = 1; __syncwarp(); } else { out[t] = 2; "
                                   "__syncwarp(); }",
                                   "<<<1, 32>>>"),
                            ReconvergencePolicy::stack);
  ASSERT_TRUE(result.outcome.fault);
  EXPECT_EQ(result.outcome.fault->kind, Fault::Kind::deadlock);
  EXPECT_THAT(result.outcome.fault->details, testing::HasSubstr("waits at WARPSYNC for lanes"));
}

TEST(MinPcPolicy, LetsLanesMeetAtSyncwarpInTwoPlaces) {
  const Result result = run(kernel("if (t < 16) { out[t] = 1; __syncwarp(); out[t] += out[31 - t]; "
                                   "} else { out[t] = 2; __syncwarp(); }",
                                   "<<<1, 32>>>"),
                            ReconvergencePolicy::min_pc);
  ASSERT_FALSE(result.outcome.fault) << result.outcome.fault->message();
  EXPECT_EQ(result.out[0], 3);
}

// Threads that leave a loop at once have nothing to wait for: they are ahead, but the rest is at a
// lower place until it comes to where they are.
TEST(Policies, MeetBehindALoopWhoeverLeavesItFirst) {
  const std::string text = kernel("for (int i = 0; i < t % 4; ++i)\n  out[t] += i;\nout[t] += 1;");
  const auto by = [&](ReconvergencePolicy policy) {
    return run(text, policy).executed.at(kLine + 2);
  };
  EXPECT_EQ(by(ReconvergencePolicy::stack), by(ReconvergencePolicy::barriers));
  EXPECT_EQ(by(ReconvergencePolicy::min_pc), by(ReconvergencePolicy::barriers));
}

// --- compiled kernels

class Kernels : public testing::TestWithParam<std::tuple<const char*, ReconvergencePolicy>> {
 protected:
  std::uint64_t upload(const std::vector<int>& values) {
    const std::uint64_t bytes = values.size() * sizeof(int);
    const std::uint64_t address = *device_.memory().allocate(bytes, "test");
    std::memcpy(device_.memory().view(address, bytes), values.data(), bytes);
    return address;
  }
  std::vector<int> download(std::uint64_t address, std::size_t count) {
    std::vector<int> values(count);
    std::memcpy(values.data(), device_.memory().view(address, count * sizeof(int)),
                count * sizeof(int));
    return values;
  }
  LaunchRequest request(const char* name, Dim3 grid, Dim3 block,
                        const std::vector<std::uint64_t>& pointers) {
    LaunchRequest result;
    result.module = &module_;
    result.kernel = module_.cubin().find_kernel(name);
    result.grid = grid;
    result.block = block;
    const auto bytes = std::as_bytes(std::span(pointers));
    result.parameters.assign(bytes.begin(), bytes.end());
    return result;
  }
  LaunchOutcome launch(const char* name, Dim3 grid, Dim3 block,
                       const std::vector<std::uint64_t>& pointers) {
    LaunchOptions options;
    options.settings.reconvergence = std::get<1>(GetParam());
    options.settings.max_instructions = 20'000'000;
    return device_.launch(request(name, grid, block, pointers), options);
  }
  void launch_well(const char* name, Dim3 grid, Dim3 block,
                   const std::vector<std::uint64_t>& pointers) {
    const LaunchOutcome outcome = launch(name, grid, block, pointers);
    ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  }

  Device device_{gpu_model(std::get<0>(GetParam()) == std::string("sm_80") ? "a100" : "h200")};
  Module module_{machine_kernels(std::get<0>(GetParam())), "machine.cubin", device_.memory()};
};

INSTANTIATE_TEST_SUITE_P(Policies, Kernels,
                         testing::Combine(testing::Values("sm_80", "sm_90"),
                                          testing::Values(ReconvergencePolicy::barriers,
                                                          ReconvergencePolicy::stack,
                                                          ReconvergencePolicy::min_pc)),
                         [](const auto& instance) {
                           std::string name(simulator::info(std::get<1>(instance.param)).name);
                           std::erase(name, '-');
                           return std::string(std::get<0>(instance.param)) + "_" + name;
                         });

TEST_P(Kernels, CallThemselvesToDepthsOfTheirOwn) {
  const std::uint64_t out = upload(std::vector<int>(64));
  launch_well("recursion", {1, 1, 1}, {64, 1, 1}, {out});
  constexpr int kFibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
  const auto values = download(out, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], kFibonacci[i % 9]) << i;
}

// As the kernel's text has it.
int by_table(const std::vector<int>& in, int t) {
  switch (in[t]) {
    case 0:
      return 11;
    case 1:
      return 9;
    case 2:
      return in[t + 32] + 1;
    case 3:
      return in[t + 32] * in[t + 33];
    case 4:
      return 5 - in[31 - t];
    case 5:
      return 5 ^ 0x55;
    case 6:
      return in[t * 7 & 31] << 2;
    case 7:
      return 99;
    default:
      return -1;
  }
}

TEST_P(Kernels, JumpThroughATable) {
  std::vector<int> in(72);
  for (int i = 0; i < 72; ++i) in[i] = i * 5 % 11;
  const std::uint64_t out = upload(std::vector<int>(32));
  launch_well("jump_table", {1, 1, 1}, {32, 1, 1}, {upload(in), out});
  const auto values = download(out, 32);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(values[t], by_table(in, t)) << t;
}

TEST_P(Kernels, EndInPartBeforeABarrier) {
  const std::uint64_t out = upload(std::vector<int>(96, -1));
  launch_well("exit_before_barrier", {1, 1, 1}, {96, 1, 1}, {out});
  const auto values = download(out, 96);
  for (int i = 0; i < 96; ++i) EXPECT_EQ(values[i], i % 3 == 0 ? -1 : 64) << i;
}

// The lock is released in the branch in which it was taken, before lanes meet: no policy hangs.
TEST_P(Kernels, TakeALockInTurnWhereItIsGivenBackBeforeTheyMeet) {
  const std::uint64_t lock = upload({0}), counter = upload({0});
  launch_well("spin_lock", {4, 1, 1}, {64, 1, 1}, {lock, counter});
  EXPECT_EQ(download(counter, 1)[0], 256);
}

TEST_P(Kernels, WaitForAnotherBlock) {
  const std::uint64_t flag = upload({0}), out = upload(std::vector<int>(32));
  launch_well("wait_for_next_block", {2, 1, 1}, {32, 1, 1}, {flag, out});
  EXPECT_THAT(download(out, 32), testing::Each(42));
}

// A loop that nobody ends is reported as one, not at the limit of instructions.
TEST_P(Kernels, ThatSpinForEverAreStopped) {
  const LaunchOutcome outcome = launch("endless_loop", {2, 1, 1}, {32, 1, 1}, {upload({0})});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::deadlock);
}

// Step by step a launch is what it is at once.
TEST_P(Kernels, AreReplayedInTheSameOrder) {
  const auto begin = [&](const char* name) {
    const std::uint64_t first = upload({0}), second = upload(std::vector<int>(32));
    return request(name, {2, 1, 1}, {32, 1, 1}, {first, second});
  };
  for (const char* name : {"spin_lock", "wait_for_next_block"}) {
    LaunchOptions options;
    options.settings.reconvergence = std::get<1>(GetParam());
    const LaunchOutcome outcome = device_.launch(begin(name), options);
    ASSERT_FALSE(outcome.fault) << outcome.fault->message();
    const std::uint64_t executed = outcome.counts.executed();
    ReplayOptions replayed;
    replayed.settings.reconvergence = options.settings.reconvergence;
    const LaunchRequest again = begin(name);
    Replay replay(device_, again, replayed);
    replay.go_to(executed / 2);
    const std::uint64_t middle = replay.digest();
    replay.go_to(~std::uint64_t{0});
    EXPECT_EQ(replay.step(), executed) << name;
    EXPECT_TRUE(replay.ended());
    replay.go_to(executed / 2);
    EXPECT_EQ(replay.digest(), middle) << "back to the same state";
  }
}

// A deadlock is an end, too.
TEST_P(Kernels, ThatSpinForEverEndInAReplay) {
  if (std::get<1>(GetParam()) == ReconvergencePolicy::barriers) GTEST_SKIP() << "not looked for";
  ReplayOptions options;
  options.settings.reconvergence = std::get<1>(GetParam());
  const LaunchRequest endless = request("endless_loop", {1, 1, 1}, {32, 1, 1}, {upload({0})});
  Replay replay(device_, endless, options);
  replay.go_to(~std::uint64_t{0});
  ASSERT_TRUE(replay.fault());
  EXPECT_EQ(replay.fault()->kind, Fault::Kind::deadlock);
}

}  // namespace
}  // namespace heddle::simulator
