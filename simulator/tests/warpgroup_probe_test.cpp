// Every kernel of gpu/kernels/micro/warpgroup_probe leaves what it left on an H200 (driver
// 580.159.04, CUDA 13.0.88, 2026-11-23), by the hash of all its sums.
#include <gtest/gtest.h>

#include <cstring>

#include "isa/cubin.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/recorded_probe.hpp"
#include "warpgroup_inputs.hpp"

namespace heddle::simulator {
namespace {

namespace probe = warpgroup_probe;

class Runner {
 public:
  explicit Runner(std::vector<std::byte> cubin)
      : device_(default_model(isa::Arch::sm_90)),
        module_(std::move(cubin), "warpgroup_probe", device_.memory()),
        in_(*device_.memory().allocate(kMostBlocks * probe::kBytes, "inputs")),
        out_(*device_.memory().allocate(kMostBlocks * kMostOut, "sums")) {}

  const isa::Cubin& cubin() const { return module_.cubin(); }

  // The hash of the sums, or why there are none.
  std::string answer(const isa::Kernel& kernel) {
    const probe::Form form = probe::form_of(kernel.name);
    auto* inputs = view(in_, kMostBlocks * probe::kBytes);
    for (unsigned block = 0; block < form.blocks(); ++block)
      probe::fill(inputs + std::size_t{block} * probe::kBytes, kernel.name, block);
    LaunchRequest request;
    request.module = &module_;
    request.kernel = &kernel;
    request.grid = {form.blocks(), 1, 1};
    request.block = {probe::kThreads, 1, 1};
    const std::uint64_t parameters[] = {in_, out_};
    request.parameters.resize(sizeof parameters);
    std::memcpy(request.parameters.data(), parameters, sizeof parameters);
    LaunchOptions options;
    options.settings.max_instructions = 200'000'000;
    const LaunchOutcome outcome = device_.launch(request, options);
    if (outcome.fault) return outcome.fault->message();
    const std::size_t bytes =
        std::size_t{form.blocks()} * form.registers_of_d() * 4 * probe::kThreads;
    char text[24];
    std::snprintf(
        text, sizeof text, "%016llx",
        static_cast<unsigned long long>(instruction_probe::hash(view(out_, bytes), bytes)));
    return text;
  }

 private:
  static constexpr std::size_t kMostBlocks = 64, kMostOut = std::size_t{128} * 4 * probe::kThreads;
  unsigned char* view(std::uint64_t address, std::size_t bytes) {
    return reinterpret_cast<unsigned char*>(device_.memory().view(address, bytes));
  }

  Device device_;
  Module module_;
  std::uint64_t in_, out_;
};

class WarpgroupProbe : public testing::TestWithParam<std::size_t> {};

TEST_P(WarpgroupProbe, LeavesWhatTheH200Left) {
  const std::vector<RecordedCubin> cubins = recorded_cubins("warpgroup_probe");
  ASSERT_LT(GetParam(), cubins.size());
  const auto answers = recorded_hashes("warpgroup_probe");
  Runner runner(cubins[GetParam()].bytes);
  std::size_t kernels = 0;
  for (const isa::Kernel& kernel : runner.cubin().kernels) {
    ASSERT_TRUE(answers.contains(kernel.name)) << kernel.name << " was not recorded";
    EXPECT_EQ(runner.answer(kernel), answers.at(kernel.name)) << kernel.name;
    ++kernels;
  }
  EXPECT_GT(kernels, 100u);
}

INSTANTIATE_TEST_SUITE_P(Parts, WarpgroupProbe, testing::Range(std::size_t{0}, std::size_t{8}));

TEST(WarpgroupProbe, EveryRecordedCubinIsAPart) {
  EXPECT_EQ(recorded_cubins("warpgroup_probe").size(), 8u);
  EXPECT_EQ(recorded_hashes("warpgroup_probe").size(), 1362u);
}

}  // namespace
}  // namespace heddle::simulator
