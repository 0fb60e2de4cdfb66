// heddle roofline: where kernels stand below the roofs of a GPU.
#include "cli/roofline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

KernelResult kernel(double instructions, double flops, double dram_bytes, double nanoseconds) {
  KernelResult result;
  result.kernel = "k";
  const auto put = [&](const char* name, double value) {
    result.metrics[simulator::MetricName(name)] = value;
  };
  put("smsp__sass_inst_executed.sum", instructions);
  put("flop_count_sp", flops);
  put("dram__bytes_read.sum", dram_bytes);
  put("dram__bytes_write.sum", 0);
  put("gpu__time_duration.sum", nanoseconds);
  return result;
}

const simulator::GpuModel& h200() { return simulator::gpu_model("h200"); }

TEST(Roofline, CeilingsAreWhatTheGpuIssuesAndComputes) {
  // 132 SMs of four schedulers at 1.98 GHz; the data sheet has 67 TFLOPS of FP32, 34 of FP64.
  EXPECT_NEAR(instruction_roofline({}, h200()).ceilings[0].work_per_second, 132 * 4 * 1.98e9, 1);
  const Roofline flops = flop_roofline({}, h200());
  ASSERT_EQ(flops.ceilings.size(), 3u);
  EXPECT_NEAR(flops.ceilings[1].work_per_second, 67e12, 1e12);
  EXPECT_NEAR(flops.ceilings[2].work_per_second, 34e12, 1e12);
}

TEST(Roofline, TheNearestRoofIsTheOneOfWhichMostIsReached) {
  // A microsecond with a million bytes is 1 TB/s of the 4.37 that memory delivers.
  const Roofline streaming = flop_roofline({kernel(1e4, 1e5, 1e6, 1000)}, h200());
  ASSERT_EQ(streaming.points.size(), 1u);
  EXPECT_EQ(streaming.points[0].limit, "DRAM");
  EXPECT_NEAR(streaming.points[0].share, 1e12 / streaming.bandwidths[2].bytes_per_second, 1e-9);
  EXPECT_DOUBLE_EQ(*streaming.points[0].work_per_byte[2], 0.1);
  const Roofline computing = flop_roofline({kernel(1e4, 3e7, 1e3, 1000)}, h200());
  EXPECT_EQ(computing.points[0].limit, "FP32");
  EXPECT_NEAR(computing.points[0].share, 3e13 / computing.ceilings[1].work_per_second, 1e-9);
  const Roofline issuing = instruction_roofline({kernel(5e5, 0, 32, 1000)}, h200());
  EXPECT_EQ(issuing.points[0].limit, "issue");
}

TEST(Roofline, KernelsWithoutFloatingPointHaveNoPointThere) {
  EXPECT_TRUE(flop_roofline({kernel(1e4, 0, 1e6, 1000)}, h200()).points.empty());
}

TEST(RooflineCommand, PrintsBothTablesAndDrawsThem) {
  const tests::ScratchFolder folder;
  const std::string sketch = (folder / "k.warp").string(), svg = (folder / "roofs.svg").string();
  std::ofstream(sketch) << "__global__ void scale(float *c) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  c[i] = c[i] * 2.0f;\n"
                           "}\n"
                           "scale<<<64, 256>>>(zeros(16384));\n";
  const Outcome outcome = run_heddle("roofline --svg " + svg + " " + sketch, Kept::both);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("warp instructions\n +kernel +~10\\^9/s"));
  EXPECT_THAT(outcome.text, ContainsRegex("scale +[0-9.]+ +[0-9.]+ % of (L1|L2|DRAM|issue)"));
  EXPECT_THAT(outcome.text, HasSubstr("floating-point operations\n"));
  std::ifstream stream(svg);
  const std::string picture{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(picture, HasSubstr("aria-label='Rooflines of NVIDIA H200'"));
  EXPECT_THAT(picture, HasSubstr("<circle class='dram'"));
  EXPECT_THAT(picture, HasSubstr(">1  scale: "));
}

TEST(RooflineCommand, NeedsTimes) {
  const tests::ScratchFolder folder;
  const std::string record = (folder / "r.json").string();
  run_heddle("run --quiet --timing off --record " + record +
                 " " HEDDLE_SOURCE_DIR "/validation/capsules/vector_add.sm_90.O3",
             Kept::both);
  const Outcome outcome = run_heddle("roofline " + record, Kept::errors);
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("no launch is timed: heddle run --timing on --record"));
}

}  // namespace
}  // namespace heddle::cli
