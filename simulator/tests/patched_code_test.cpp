// gpu/kernels/micro/patched_code.cu: how often its BSYNC executes in each warp, by what six of its
// lanes do meanwhile. The numbers are an H200's (docs/experiments/divergence-order.md, "Code that
// counts itself"): SASS metrics for code that counts itself, smsp__inst_executed for the other.
#include <gtest/gtest.h>

#include "isa/cubin.hpp"
#include "simulator/gpu_model.hpp"
#include "simulator/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

// As the program numbers them.
enum Work { arithmetic, load, atomic, reduction, fence, vote, active_mask, store, shuffle, match };

double bsync_per_warp(Work work, LaunchOptions options = {}) {
  constexpr std::uint32_t kBlocks = 4, kRounds = 100, kAside = 12, kBusy = 6;
  Device device{gpu_model("h200")};
  Module module{compiled_kernels("simulator/tests/kernels/patched_code.sm_90.cubin"),
                "patched_code.cubin", device.memory()};
  const std::uint64_t data = *device.memory().allocate(1 << 20, "data");
  const std::uint64_t out = *device.memory().allocate(1 << 20, "out");
  LaunchRequest request;
  request.module = &module;
  request.kernel =
      module.cubin().find_kernel("_Z4meetIL4Work" + std::to_string(work) + "EEvjPjS1_jj");
  request.grid = {kBlocks, 1, 1};
  request.block = {32, 1, 1};
  request.parameters = parameters(kRounds, data, out, kAside, kBusy);
  const LaunchOutcome outcome = device.launch(request, options);
  EXPECT_FALSE(outcome.fault);
  std::uint64_t executed = 0;
  for (const auto& [pc, counts] : outcome.counts)
    if (module.program().instructions[pc]->op == isa::Op::BSYNC) executed += counts.executed;
  return static_cast<double>(executed) / kBlocks;
}

TEST(PatchedCode, GroupsThatWaitMeetWhereAnotherAccessesMemory) {
  for (const Work work : {load, atomic, reduction, store})
    EXPECT_EQ(bsync_per_warp(work), 2) << work;
}

TEST(PatchedCode, GroupsThatWaitStayApartWhereAnotherDoesNot) {
  for (const Work work : {arithmetic, fence, vote, active_mask, shuffle, match})
    EXPECT_EQ(bsync_per_warp(work), 3) << work;
}

TEST(PatchedCode, IsNotWhatAnswersWhenConvergenceBarriersAreAskedFor) {
  LaunchOptions options;
  options.reconvergence = Reconvergence::barriers;
  for (const Work work : {load, arithmetic}) EXPECT_EQ(bsync_per_warp(work, options), 3) << work;
}

}  // namespace
}  // namespace heddle::simulator
