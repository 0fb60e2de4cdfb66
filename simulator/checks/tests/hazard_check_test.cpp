// Control codes that are as the compiler made them, and changed ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "isa/cubin.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/device/device.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator::checks {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kKernel = "pieces";

std::vector<std::byte> planted_kernels() {
  return compiled_kernels("simulator/checks/tests/kernels/planted.sm_90.cubin");
}

// A field of an instruction: most are of the control code.
struct Field {
  unsigned bit, bits;
};
constexpr Field kStall{105, 4}, kWriteBarrier{110, 3}, kWaitMask{116, 6}, kRd{16, 8}, kRa{24, 8};
constexpr unsigned kNone = 7;

struct Change {
  std::uint64_t pc;
  Field field;
  std::uint64_t value;
};

// The cubin with fields of one of the kernel's instructions changed.
std::vector<std::byte> changed(const std::vector<Change>& changes, const char* kernel = kKernel) {
  std::vector<std::byte> bytes = planted_kernels();
  const isa::Cubin cubin = isa::parse_cubin(bytes, "planted.cubin");
  for (const isa::Section& section : cubin.sections) {
    if (section.name != std::string(".text.") + kernel) continue;
    const auto at =
        std::search(bytes.begin(), bytes.end(), section.bytes.begin(), section.bytes.end());
    for (const auto& [pc, field, value] : changes) {
      std::byte* const half = &*at + pc + field.bit / 64 * 8;
      std::uint64_t word;
      std::memcpy(&word, half, sizeof word);
      const std::uint64_t mask = (std::uint64_t{1} << field.bits) - 1;
      const unsigned shift = field.bit % 64;
      word = (word & ~(mask << shift)) | value << shift;
      std::memcpy(half, &word, sizeof word);
    }
  }
  return bytes;
}

// Every pointer that the kernel takes is to 4096 bytes that hold 0, 11, 22 …
std::vector<Finding> launch(Device& device, Checks& checks, Module& module,
                            const char* kernel = kKernel, unsigned pointers = 1,
                            Observer* observer = nullptr) {
  constexpr std::uint64_t kBytes = 4096;
  const std::uint64_t data = *device.memory().allocate(kBytes, "data");
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) {
    const std::uint32_t value = 11 * i;
    std::memcpy(device.memory().view(data + 4 * i, 4), &value, 4);
  }
  constexpr std::int32_t kRounds = 4;
  LaunchRequest request;
  request.module = &module;
  request.kernel = module.cubin().find_kernel(kernel);
  request.block = {32, 1, 1};
  request.parameters =
      pointers == 1 ? parameters(data, kRounds) : parameters(data, data, data, kRounds);
  LaunchOptions options;
  options.checks = &checks;
  options.observer = observer;
  return device.launch(request, options).findings;
}

std::vector<Finding> run(std::vector<std::byte> cubin, const char* kernel = kKernel,
                         unsigned pointers = 1, Observer* observer = nullptr) {
  Device device{gpu_model("h200")};
  Module module{std::move(cubin), "planted.cubin", device.memory()};
  Checks checks{parse_options("hazards"), device.memory()};
  return launch(device, checks, module, kernel, pointers, observer);
}

// What is found, as one text.
std::string found(std::uint64_t pc, Field field, std::uint64_t value,
                  Observer* observer = nullptr) {
  std::string text;
  for (const Finding& finding : run(changed({{pc, field, value}}), kKernel, 1, observer)) {
    text += finding.kind + ": " + finding.message + "; " + finding.details + "\n";
    for (const Side& side : finding.sides) text += "  " + side.text + "\n";
  }
  return text;
}

TEST(HazardCheck, WhatTheCompilerMadeIsInOrder) { EXPECT_THAT(run(planted_kernels()), IsEmpty()); }

TEST(HazardCheck, AModuleThatLiesWhereAnotherLayIsReadAnew) {
  Device device{gpu_model("h200")};
  Checks checks{parse_options("hazards"), device.memory()};
  std::optional<Module> module;
  module.emplace(planted_kernels(), "planted.cubin", device.memory());
  EXPECT_THAT(launch(device, checks, *module), IsEmpty());
  module.reset();
  module.emplace(changed({{0xd0, kStall, 1}}), "planted.cubin", device.memory());
  EXPECT_THAT(launch(device, checks, *module), Not(IsEmpty()));
}

TEST(HazardCheck, APredicateOfAGenericAtomicComesWithItsSources) {
  EXPECT_THAT(run(planted_kernels(), "either_space"), IsEmpty());
}

TEST(HazardCheck, WhoHasALoadedValueKnowsThatItsAddressWasRead) {
  EXPECT_THAT(run(planted_kernels(), "over_own_address", 3), IsEmpty());
}

TEST(HazardCheck, AnArithmeticResultTakesFourCycles) {
  const std::string text = found(0xd0, kStall, 1);
  EXPECT_THAT(text, HasSubstr("too_early: "));
  EXPECT_THAT(text, HasSubstr("that takes 4 at least"));
}

TEST(HazardCheck, APredicateTakesLongerToBeAGuard) {
  EXPECT_THAT(found(0x20, kStall, 11),
              HasSubstr("too_early: P0 is used 11 cycles after it was computed; that takes 13"));
}

TEST(HazardCheck, LoadsAreAwaited) {
  const std::string no_wait = found(0xc0, kWaitMask, 0);
  EXPECT_THAT(no_wait, HasSubstr("not_awaited: "));
  EXPECT_THAT(no_wait, HasSubstr("it is guarded by scoreboard 2"));
  EXPECT_THAT(found(0x90, kWriteBarrier, kNone), HasSubstr("sets no scoreboard"));
}

// As CUB's sums of warps: one of those read at once is read again, in its register.
TEST(HazardCheck, LoadsFromSharedMemoryAnswerInOrder) {
  const auto second = [](unsigned waits) {
    return changed(
        {{0xf0, kWriteBarrier, 1}, {0x100, kRd, 10}, {0x110, kRa, 10}, {0x110, kWaitMask, waits}},
        "loaded_again");
  };
  EXPECT_THAT(run(second(0b11), "loaded_again", 3), IsEmpty());
  EXPECT_THAT(run(second(0b10), "loaded_again", 3), Not(IsEmpty()));
}

TEST(HazardCheck, AScoreboardIsSeenTwoCyclesLater) {
  EXPECT_THAT(found(0x10, kStall, 1), HasSubstr("not_awaited: R13 is used"));
}

TEST(HazardCheck, WhatAStoreReadsStaysUntilItHas) {
  EXPECT_THAT(found(0x100, kWaitMask, 0), HasSubstr("overwritten_source: "));
}

// Beside it every instruction is told one by one.
struct OfEveryInstruction : Observer {
  void issued(const CoreView&, const WarpView&, const Issue&) override {}
};

std::vector<Change> changes() {
  const isa::Cubin cubin = isa::parse_cubin(planted_kernels(), "planted.cubin");
  const std::uint64_t bytes = cubin.sections[cubin.find_kernel(kKernel)->text_section].bytes.size();
  std::vector<Change> all;
  for (std::uint64_t pc = 0; pc < bytes; pc += 16)
    for (const auto& [field, value] : std::vector<std::pair<Field, unsigned>>{
             {kStall, 1}, {kStall, 3}, {kWaitMask, 0}, {kWriteBarrier, kNone}})
      all.push_back({pc, field, value});
  return all;
}

TEST(HazardCheck, RunsAreJudgedAsTheirInstructionsOneByOne) {
  unsigned with_findings = 0;
  for (const auto& [pc, field, value] : changes()) {
    OfEveryInstruction every;
    const std::string text = found(pc, field, value);
    EXPECT_EQ(text, found(pc, field, value, &every)) << pc << ' ' << field.bit << ' ' << value;
    with_findings += text.empty() ? 0 : 1;
  }
  EXPECT_GT(with_findings, 10u);
}

// In the second launch all that warps do was seen before.
TEST(HazardCheck, ALaunchIsJudgedAsTheSameOneBeforeIt) {
  unsigned with_findings = 0;
  for (const auto& [pc, field, value] : changes()) {
    Device device{gpu_model("h200")};
    Module module{changed({{pc, field, value}}), "planted.cubin", device.memory()};
    Checks checks{parse_options("hazards"), device.memory()};
    const std::vector<Finding> first = launch(device, checks, module);
    const std::vector<Finding> second = launch(device, checks, module);
    ASSERT_EQ(first.size(), second.size()) << pc << ' ' << field.bit << ' ' << value;
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].message, second[i].message);
      EXPECT_EQ(first[i].times, second[i].times);
    }
    with_findings += first.empty() ? 0 : 1;
  }
  EXPECT_GT(with_findings, 10u);
}

}  // namespace
}  // namespace heddle::simulator::checks
