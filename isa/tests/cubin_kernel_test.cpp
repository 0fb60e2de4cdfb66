// What the reader says about kernels. The numbers are those make_cubins.sh printed (ptxas -v).
#include <gmock/gmock.h>

#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

struct Expected {
  std::string file, kernel;
  std::uint32_t registers, user_shared, frame, min_stack, barriers, max_threads;
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.file << " " << expected.kernel;
}

class KernelOf : public testing::TestWithParam<Expected> {};

TEST_P(KernelOf, HasTheSizesThatPtxasReports) {
  const Expected& expected = GetParam();
  const Cubin cubin = parse_test_cubin(expected.file);
  const Kernel* kernel = cubin.find_kernel(expected.kernel);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->registers, expected.registers);
  EXPECT_EQ(kernel->static_shared_bytes - kernel->reserved_shared_bytes, expected.user_shared);
  EXPECT_EQ(kernel->frame_bytes, expected.frame);
  EXPECT_EQ(kernel->min_stack_bytes, expected.min_stack);
  EXPECT_EQ(kernel->barriers, expected.barriers);
  EXPECT_EQ(kernel->max_threads, expected.max_threads);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(PtxasNumbers, KernelOf, testing::Values(
    Expected{"program.sm_75.cubin", "_Z7pointerPfi", 24, 0, 8, 8, 0, 0},
    Expected{"program.sm_75.cubin", "_Z6printsPi", 24, 0, 8, 8, 0, 128},
    Expected{"program.sm_75.cubin", "_Z10parametersPfPKficsd", 24, 256, 8, 8, 1, 0},
    Expected{"program.sm_75.cubin", "_Z10jump_tablePii", 6, 0, 0, 0, 0, 0},
    Expected{"program.sm_90.cubin", "_Z7pointerPfi", 24, 0, 8, 8, 0, 0},
    Expected{"program.sm_90.cubin", "_Z6printsPi", 24, 0, 8, 8, 0, 128},
    Expected{"program.sm_90.cubin", "_Z10parametersPfPKficsd", 24, 256, 8, 8, 1, 0},
    Expected{"program.sm_90.cubin", "_Z10jump_tablePii", 10, 0, 0, 0, 0, 0},
    Expected{"debug.sm_75.cubin", "_Z5callsPf", 24, 128, 0, 16, 0, 0},
    Expected{"debug.sm_90.cubin", "_Z5callsPf", 24, 128, 0, 16, 0, 0},
    Expected{"linked.sm_75.cubin", "_Z6linkedPf", 35, 0, 0, 8, 0, 0},  // as nvlink -v reports
    Expected{"linked.sm_90.cubin", "_Z6linkedPf", 37, 0, 0, 8, 0, 0},  // as nvlink -v reports
    Expected{"spills.sm_75.cubin", "_Z6spillsPf", 24, 0, 128, 128, 0, 0},
    Expected{"spills.sm_90.cubin", "_Z6spillsPf", 24, 0, 120, 120, 0, 0}));
// clang-format on

struct Spill {
  std::string file, kernel;
  std::uint32_t stores, loads;
};

TEST(KernelSpills, AreThoseThatPtxasReports) {
  for (const Spill& expected : {Spill{"spills.sm_75.cubin", "_Z6spillsPf", 156, 172},
                                Spill{"spills.sm_90.cubin", "_Z6spillsPf", 128, 144},
                                Spill{"spills.sm_90.cubin", "_Z5framePfi", 0, 0},
                                // polynomial(), behind this kernel, spills 4 bytes of its own.
                                Spill{"program.sm_90.cubin", "_Z7pointerPfi", 0, 0}}) {
    SCOPED_TRACE(expected.file + " " + expected.kernel);
    const Cubin cubin = parse_test_cubin(expected.file);
    const Kernel* kernel = cubin.find_kernel(expected.kernel);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->spill_store_bytes, expected.stores);
    EXPECT_EQ(kernel->spill_load_bytes, expected.loads);
  }
}

TEST(KernelParameters, AreSortedByOrdinalWithTheirOffsetsAndSizes) {
  for (const std::string file : {"program.sm_75.cubin", "program.sm_90.cubin"}) {
    const Cubin cubin = parse_test_cubin(file);
    const Kernel* kernel = cubin.find_kernel("_Z10parametersPfPKficsd");
    ASSERT_NE(kernel, nullptr);
    std::vector<std::uint32_t> offsets, sizes;
    for (const KernelParameter& parameter : kernel->parameters) {
      EXPECT_EQ(parameter.ordinal, offsets.size());
      offsets.push_back(parameter.offset);
      sizes.push_back(parameter.size);
    }
    EXPECT_THAT(offsets, ElementsAre(0, 8, 16, 20, 22, 24));
    EXPECT_THAT(sizes, ElementsAre(8, 8, 4, 1, 2, 8));
    EXPECT_EQ(kernel->parameter_bytes, 32u);
    EXPECT_EQ(kernel->bank0_bytes, bank0_layout(cubin.arch).parameters + 32);
  }
}

TEST(KernelShared, ContainsTheReservedKibibyteOnSm90Only) {
  const auto reserved = [](const std::string& file, const std::string& name) {
    const Cubin cubin = parse_test_cubin(file);
    return cubin.find_kernel(name)->reserved_shared_bytes;
  };
  EXPECT_EQ(reserved("program.sm_75.cubin", "_Z10parametersPfPKficsd"), 0u);
  EXPECT_EQ(reserved("program.sm_90.cubin", "_Z10parametersPfPKficsd"), 0x400u);
  EXPECT_EQ(reserved("program.sm_90.cubin", "_Z6printsPi"), 0u) << "it uses no shared memory";
}

TEST(CubinFunctions, OfADebugBuildHaveSectionsOfTheirOwn) {
  const Cubin cubin = parse_test_cubin("debug.sm_90.cubin");
  EXPECT_EQ(cubin.arch, Arch::sm_90);
  std::vector<std::string> kernels, functions;
  for (const Function& function : cubin.functions) {
    (function.is_kernel ? kernels : functions).push_back(function.name);
    EXPECT_EQ(cubin.sections[function.section].name, ".text." + function.name);
    EXPECT_EQ(function.offset, 0u);
  }
  EXPECT_THAT(kernels, UnorderedElementsAre("_Z5callsPf", "_Z6printsPi"));
  EXPECT_THAT(functions, UnorderedElementsAre("_Z7half_off", "_Z10quarter_off"));
}

TEST(CubinFunctions, OfAnOptimisedBuildLieBehindTheirKernel) {
  const Cubin cubin = parse_test_cubin("program.sm_75.cubin");
  const auto local = std::ranges::find(cubin.functions, "$_Z10parametersPfPKficsd$_Z10polynomialfi",
                                       &Function::name);
  ASSERT_NE(local, cubin.functions.end());
  EXPECT_FALSE(local->is_kernel);
  EXPECT_EQ(cubin.sections[local->section].name, ".text._Z10parametersPfPKficsd");
  EXPECT_GT(local->offset, 0u);
}

TEST(CubinBranches, ListTheTargetsOfAJumpTable) {
  const Cubin cubin = parse_test_cubin("program.sm_90.cubin");
  ASSERT_FALSE(cubin.indirect_branches.empty());
  for (const IndirectBranch& branch : cubin.indirect_branches) {
    const Section& text = cubin.sections[branch.section];
    EXPECT_EQ(text.name, ".text._Z10jump_tablePii");
    EXPECT_EQ(get<std::uint16_t>(text.bytes, branch.offset) & 0xfff, 0x949) << "BRX";
    EXPECT_GE(branch.targets.size(), 2u);
    for (const std::uint64_t target : branch.targets) EXPECT_LT(target, text.size);
  }
}

TEST(KernelExits, AreExitInstructions) {
  const Cubin cubin = parse_test_cubin("program.sm_75.cubin");
  for (const Kernel& kernel : cubin.kernels) {
    EXPECT_FALSE(kernel.exits.empty()) << kernel.name;
    for (const std::uint64_t exit : kernel.exits)
      EXPECT_EQ(get<std::uint16_t>(cubin.sections[kernel.text_section].bytes, exit) & 0xfff, 0x94d)
          << kernel.name;
  }
}

}  // namespace
}  // namespace heddle::isa
