// Every kernel of gpu/kernels/micro/warpgroup_probe leaves what it left on an H200 (driver
// 580.159.04, CUDA 13.0.88, 2026-11-23), by the hash of all its sums.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "isa/attributes.hpp"
#include "isa/cubin.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/record/metrics.hpp"
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
    product_.clear();
    for (const char* metric : kMetrics) product_.push_back(of_products(outcome.counts, metric));
    const std::size_t bytes =
        std::size_t{form.blocks()} * form.registers_of_d() * 4 * probe::kThreads;
    char text[24];
    std::snprintf(
        text, sizeof text, "%016llx",
        static_cast<unsigned long long>(instruction_probe::hash(view(out_, bytes), bytes)));
    return text;
  }

  // Of the product in the kernel that answered last.
  const std::vector<std::uint64_t>& product() const { return product_; }

  static constexpr std::array kMetrics{"smsp__sass_inst_executed_op_shared_gmma.sum",
                                       "smsp__sass_inst_executed_op_ld.sum",
                                       "smsp__sass_inst_executed_op_shared.sum",
                                       "smsp__sass_thread_inst_executed_op_shared_pred_on.sum",
                                       "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
                                       "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal.sum"};

 private:
  std::uint64_t of_products(const LaunchCounts& counts, const char* metric) const {
    std::uint64_t sum = 0;
    for (std::uint32_t pc = 0; pc < module_.program().trap(); ++pc) {
      const auto& instruction = module_.program().instructions[pc];
      if (instruction && isa::facts(instruction->op).work == isa::Work::product)
        sum += find_metric(metric)->amount(*instruction, counts[pc]);
    }
    return sum;
  }

  static constexpr std::size_t kMostBlocks = 64, kMostOut = std::size_t{128} * 4 * probe::kThreads;
  unsigned char* view(std::uint64_t address, std::size_t bytes) {
    return reinterpret_cast<unsigned char*>(device_.memory().view(address, bytes));
  }

  Device device_;
  Module module_;
  std::uint64_t in_, out_;
  std::vector<std::uint64_t> product_;
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

// counts_h200.txt: measured on an H200, driver 580.159.04, CUDA 13.0.88, 2026-11-28.
TEST(WarpgroupProbe, CountsWhatTheH200Counted) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/simulator/tests/data/warpgroup_probe/counts_h200.txt");
  std::string line;
  std::getline(file, line);
  for (const char* metric : Runner::kMetrics)
    ASSERT_NE(line.find(metric), line.npos) << "its columns are others";
  std::map<std::string, std::vector<std::uint64_t>> measured;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kernel;
    words >> kernel;
    for (std::uint64_t value; words >> value;) measured[kernel].push_back(value);
  }
  EXPECT_EQ(measured.size(), 60u);
  std::size_t compared = 0;
  for (const RecordedCubin& cubin : recorded_cubins("warpgroup_probe")) {
    Runner runner(cubin.bytes);
    for (const isa::Kernel& kernel : runner.cubin().kernels) {
      const auto wanted = measured.find(kernel.name);
      if (wanted == measured.end()) continue;
      runner.answer(kernel);
      EXPECT_EQ(runner.product(), wanted->second) << kernel.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, measured.size());
}

TEST(WarpgroupProbe, EveryRecordedCubinIsAPart) {
  EXPECT_EQ(recorded_cubins("warpgroup_probe").size(), 8u);
  EXPECT_EQ(recorded_hashes("warpgroup_probe").size(), 1362u);
}

}  // namespace
}  // namespace heddle::simulator
