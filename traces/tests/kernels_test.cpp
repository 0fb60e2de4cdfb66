// The sketches of the seed kernels, beside what an H200 counted of the programs they are taken
// from.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "simulator/record/record.hpp"
#include "traces/sketch/tests/sketch_runs.hpp"

namespace heddle::simulator {
namespace {

namespace fs = std::filesystem;

const fs::path kSketches = HEDDLE_SOURCE_DIR "/traces/kernels";

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Twin {
  const char* sketch;
  std::size_t first;  // launch of the sketch
  const char* record;
  std::size_t launches;  // from the record's first on
};
void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.record; }
constexpr Twin kTwins[] = {
    {"simple_divergence", 0, "simple_divergence", 5},
    {"reduce_integer", 0, "reduce_integer_128", 12},
    {"reduce_float", 0, "reduce_float", 2},
    {"nested_loops", 0, "nested_loops", 1},
    {"sum_matrix_2d", 0, "sum_matrix_2d_32x32", 1},
    {"sum_matrix_2d", 1, "sum_matrix_2d_32x16", 1},
    {"sum_matrix_2d", 2, "sum_matrix_2d_16x32", 1},
    {"sum_matrix_2d", 3, "sum_matrix_2d_16x16", 1},
    {"sum_matrix_2d", 4, "sum_matrix_2d_ragged", 1},
    {"matmul", 0, "matmul", 5},
    {"matmul", 5, "matmul_ragged", 2},
    {"vector_add", 0, "vector_add", 1},
    {"print_stride", 0, "print_stride", 1},
    {"block_40x2", 0, "block_40x2", 1},
};

// Of each kernel: what is derived is derived from it.
std::vector<const LaunchRecord*> first_launches(const Record& record) {
  std::vector<const LaunchRecord*> first;
  std::set<std::string> seen;
  for (const LaunchRecord& launch : record.launches)
    if (seen.insert(launch.kernel).second) first.push_back(&launch);
  return first;
}

class SeedKernels : public ::testing::TestWithParam<Twin> {};

TEST_P(SeedKernels, DivergeAsTheDebugBuildDoesOnAnH200) {
  const Twin& twin = GetParam();
  const Record record = read_record(fs::path(HEDDLE_SOURCE_DIR "/validation/records/h200") /
                                    (std::string(twin.record) + ".sm_90.G.json.zst"));
  const auto sketch = run_all(text_of(kSketches / (std::string(twin.sketch) + ".warp")));
  ASSERT_GE(sketch.size(), twin.first + twin.launches);
  ASSERT_GE(record.launches.size(), twin.launches);
  for (std::size_t i = 0; i < twin.launches; ++i) {
    const auto hardware = value_of(record.launches[i].metrics,
                                   *find_metric("smsp__sass_branch_targets_threads_divergent.sum"));
    ASSERT_TRUE(hardware.has_value());
    EXPECT_EQ(static_cast<double>(sketch[twin.first + i].metric("divergent_branch")), *hardware)
        << record.launches[i].kernel;
  }
}

// As `heddle simplify` made them: what diverged follows from indices, or is drawn with the chances
// that were measured; then it comes near.
TEST_P(SeedKernels, DerivedSketchesDivergeAsTheirBuildsDoOnAnH200) {
  const Twin& twin = GetParam();
  for (const std::string build : {"G", "O3"}) {
    const fs::path folder = build == "G" ? kSketches / "derived" : kSketches / "derived" / build;
    const fs::path derived = folder / (std::string(twin.record) + ".warp");
    if (std::string(twin.record).starts_with("sum_matrix_2d_") && !fs::exists(derived))
      GTEST_SKIP() << "one block shape of several is kept";
    ASSERT_TRUE(fs::exists(derived)) << derived;
    const std::string text = text_of(derived);
    const Record record = read_record(fs::path(HEDDLE_SOURCE_DIR "/validation/records/h200") /
                                      (std::string(twin.record) + ".sm_90." + build + ".json.zst"));
    const auto found = run_all(text);
    ASSERT_LE(found.size(), record.launches.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double hardware =
          value_of(first_launches(record).at(i)->metrics,
                   *find_metric("smsp__sass_branch_targets_threads_divergent.sum"))
              .value();
      const auto sketch = static_cast<double>(found[i].metric("divergent_branch"));
      if (text.find("chance(") == std::string::npos)
        EXPECT_EQ(sketch, hardware) << derived << ' ' << i;
      else
        EXPECT_NEAR(sketch, hardware, hardware / 5) << derived << ' ' << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Suite, SeedKernels, ::testing::ValuesIn(kTwins),
                         [](const auto& twin) { return std::string(twin.param.record); });

// The measured rule of predication beside what nvcc -O3 made: what stays a branch, and diverges.
TEST(SeedKernelSketches, DivergeAsTheReleaseBuildDoesUnderTheMeasuredRule) {
  for (const Twin& twin : {kTwins[0], kTwins[1], kTwins[2]}) {
    const Record record = read_record(fs::path(HEDDLE_SOURCE_DIR "/validation/records/h200") /
                                      (std::string(twin.record) + ".sm_90.O3.json.zst"));
    const auto sketch =
        run_all(text_of(kSketches / (std::string(twin.sketch) + ".warp")), 1, "cuda13");
    for (std::size_t i = 0; i < twin.launches; ++i)
      EXPECT_EQ(static_cast<double>(sketch[twin.first + i].metric("divergent_branch")),
                value_of(record.launches[i].metrics,
                         *find_metric("smsp__sass_branch_targets_threads_divergent.sum")))
          << record.launches[i].kernel;
  }
}

TEST(SeedKernelSketches, AreAllCompared) {
  std::set<std::string> compared;
  for (const Twin& twin : kTwins) compared.insert(twin.sketch);
  for (const auto& entry : fs::directory_iterator(kSketches)) {
    if (entry.path().extension() != ".warp") continue;
    EXPECT_TRUE(compared.contains(entry.path().stem().string())) << entry.path();
  }
}

// What the reductions leave is the sum of what they were given.
TEST(SeedKernelSketches, TheReductionsAddUp) {
  for (const auto& result : run_all(text_of(kSketches / "reduce_integer.warp"))) {
    std::int64_t sum = 0;
    for (const std::int32_t value : result.array<std::int32_t>("g_odata")) sum += value;
    EXPECT_NEAR(static_cast<double>(sum), 65536 * 127.5, 5 * 256 * 74);
  }
}

}  // namespace
}  // namespace heddle::simulator
