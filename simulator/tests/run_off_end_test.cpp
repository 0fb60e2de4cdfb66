// Code that runs past its end: EXIT and the jumps were overwritten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "isa/decoder.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/device/device.hpp"
#include "simulator/device/replay.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

constexpr const char* kKernel = "racing_blocks";

// The compiled kernels, where this one has nothing but NOPs from its first EXIT on.
std::vector<std::byte> code_without_end() {
  constexpr isa::Word kNop{.lo = 0x7918, .hi = 0x000fc00000000000};
  std::vector<std::byte> bytes = machine_kernels();
  const isa::Cubin cubin = isa::parse_cubin(bytes, "machine.cubin");
  const isa::Section& section = cubin.sections[cubin.find_kernel(kKernel)->text_section];
  const auto found =
      std::search(bytes.begin(), bytes.end(), section.bytes.begin(), section.bytes.end());
  EXPECT_NE(found, bytes.end());
  bool ended = false;
  for (std::size_t at = 0; at < section.bytes.size(); at += sizeof(isa::Word)) {
    isa::Word word{};
    std::byte* const place = &*found + at;
    std::memcpy(&word, place, sizeof word);
    const auto in = isa::decode(isa::Arch::sm_90, word);
    ended |= in && in->op == isa::Op::EXIT;
    if (ended || (in && in->op == isa::Op::BRA)) std::memcpy(place, &kNop, sizeof kNop);
  }
  EXPECT_TRUE(ended);
  return bytes;
}

class RunOffEnd : public testing::Test {
 protected:
  LaunchRequest request() {
    LaunchRequest result;
    result.module = &module;
    result.kernel = module.cubin().find_kernel(kKernel);
    result.grid = {1, 1, 1};
    result.block = {32, 1, 1};
    result.parameters = parameters(*device.memory().allocate(4, "test"));
    return result;
  }
  void expect_fault(const std::optional<Fault>& fault) {
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->kind, Fault::Kind::invalid_pc);
    EXPECT_EQ(fault->function, kKernel);
    const isa::CodeRange* range =
        module.program().range_at(module.program().entry(*module.cubin().find_kernel(kKernel)));
    EXPECT_EQ(fault->pc, range->size - sizeof(isa::Word));  // the last one, not another kernel's
    EXPECT_THAT(fault->message(), testing::HasSubstr("the code ends here"));
  }

  Device device{gpu_model("h200")};
  Module module{code_without_end(), "machine.cubin", device.memory()};
};

TEST_F(RunOffEnd, IsAFault) { expect_fault(device.launch(request(), {}).fault); }

TEST_F(RunOffEnd, IsAFaultOnSeveralThreads) {
  LaunchRequest several = request();
  several.grid.x = 8;
  LaunchOptions options;
  options.settings.threads = 2;
  options.settings.threads_after = 0;
  expect_fault(device.launch(several, options).fault);
}

TEST_F(RunOffEnd, IsAFaultOfATimedLaunch) {
  LaunchOptions options;
  options.settings.timing.emplace();
  expect_fault(device.launch(request(), options).fault);
}

TEST_F(RunOffEnd, IsAFaultOfACheckedLaunch) {
  checks::Checks checks(checks::parse_options("memory,races,init,sync,hazards"), device.memory());
  LaunchOptions options;
  options.checks = &checks;
  expect_fault(device.launch(request(), options).fault);
}

TEST_F(RunOffEnd, IsAFaultByEveryPolicy) {
  for (const auto each : {ReconvergencePolicy::stack, ReconvergencePolicy::min_pc}) {
    LaunchOptions options;
    options.settings.reconvergence = each;
    expect_fault(device.launch(request(), options).fault);
  }
}

TEST_F(RunOffEnd, IsAFaultWhenItIsSteppedThrough) {
  Replay replay(device, request());
  while (replay.forward()) {
  }
  expect_fault(replay.fault());
}

// A branch of a file may lead anywhere.
TEST_F(RunOffEnd, ABranchOutOfTheCodeEndsAtTheTrapRow) {
  EXPECT_EQ(lowered(module).steps.size(), module.program().instructions.size() + 1u);
  const std::uint32_t trap = module.program().trap();
  EXPECT_EQ(lowered(module).steps[trap].lane, nullptr);
  EXPECT_EQ(lowered(module).steps[trap].execute, execute_past_end);
  EXPECT_EQ(lowered(module).steps[trap + 1].execute, execute_past_end);
}

}  // namespace
}  // namespace heddle::simulator
