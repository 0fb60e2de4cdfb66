#include "validation/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::validation {
namespace {

using simulator::LaunchRecord;
using simulator::Record;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kInst = "smsp__sass_inst_executed.sum";

LaunchRecord launch() {
  LaunchRecord result;
  result.kernel = "_Z1kv";
  result.code_sha256 = "ab";
  result.launch_class = "determined";
  result.metrics = {{kInst, 10}};
  result.instructions = {{"_Z1kv", 0, "k.cu:1", "", "MOV", {{kInst, 4}}},
                         {"_Z1kv", 16, "k.cu:2", "", "EXIT", {{kInst, 6}}}};
  result.memory = {{0, "", 256, "aa"}};
  return result;
}

Record record(const char* source, const LaunchRecord& only) {
  Record result;
  result.source = source;
  result.launches = {only};
  return result;
}

Comparison compared(const LaunchRecord& model, const LaunchRecord& hardware) {
  return compare(record("model", model), record("hardware", hardware));
}

TEST(Compare, FindsEqualRecordsEqual) {
  const Comparison result = compared(launch(), launch());
  EXPECT_TRUE(result.equal());
  EXPECT_FALSE(result.trouble());
  EXPECT_EQ(result.launches[0].values, 3u);
  EXPECT_EQ(result.launches[0].allocations, 1u);
}

TEST(Compare, SeesACountThatDiffersByOneInOneInstruction) {
  LaunchRecord hardware = launch();
  hardware.instructions[0].metrics[kInst] = 5;
  hardware.instructions[1].metrics[kInst] = 5;
  const Comparison result = compared(launch(), hardware);
  EXPECT_FALSE(result.equal());
  ASSERT_THAT(result.launches[0].differences, SizeIs(2));
  EXPECT_EQ(result.launches[0].differences[1].pc, 16u);
  EXPECT_EQ(result.launches[0].differences[1].line, "k.cu:2");
  EXPECT_EQ(result.launches[0].differences[1].model, 6);
  EXPECT_EQ(result.launches[0].differences[1].hardware, 5);
}

TEST(Compare, SaysWhereOneSideCountsTheProgramsOwnCode) {
  LaunchRecord timed = launch();
  timed.counts = "program";
  LaunchRecord untimed = launch();
  untimed.counts = "profiler";
  EXPECT_THAT(compared(timed, launch()).launches[0].note,
              HasSubstr("the model counts the program's own code"));
  EXPECT_THAT(compared(untimed, timed).launches[0].note,
              HasSubstr("the hardware record counts the program's own code"));
  EXPECT_EQ(compared(untimed, launch()).launches[0].note, "");
  EXPECT_EQ(compared(timed, timed).launches[0].note, "");
}

TEST(Compare, TakesACountAnInstructionLacksForZero) {
  LaunchRecord hardware = launch();
  hardware.instructions[0].metrics.clear();
  EXPECT_THAT(compared(launch(), hardware).launches[0].differences, SizeIs(1));
  hardware.instructions[0].metrics[kInst] = 4;
  hardware.instructions.push_back({"_Z1kv", 32, "", "", "", {{kInst, 0}}});
  EXPECT_TRUE(compared(launch(), hardware).equal());
  hardware.instructions.back().metrics[kInst] = 1;
  EXPECT_FALSE(compared(launch(), hardware).equal());
}

TEST(Compare, CountsASassMetricTheModelLacksAsADifference) {
  LaunchRecord hardware = launch();
  hardware.metrics["smsp__sass_something_new.sum"] = 0;
  const Comparison result = compared(launch(), hardware);
  EXPECT_FALSE(result.equal());
  ASSERT_THAT(result.launches[0].differences, SizeIs(1));
  EXPECT_EQ(result.launches[0].differences[0].model, std::nullopt);
}

TEST(Compare, LeavesOutWhatTimeDecides) {
  LaunchRecord hardware = launch();
  hardware.metrics["smsp__cycles_active.sum"] = 5000;
  const Comparison result = compared(launch(), hardware);
  EXPECT_TRUE(result.equal());
  EXPECT_THAT(result.launches[0].not_modelled, SizeIs(1));
}

TEST(Compare, LeavesOutACounterTheModelSaysItDidNotModel) {
  LaunchRecord model = launch(), hardware = launch();
  hardware.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 112;
  EXPECT_FALSE(compared(model, hardware).equal());
  model.unmodelled = {"driver functions"};
  EXPECT_TRUE(compared(model, hardware).equal());
  hardware.metrics["smsp__sass_something_new.sum"] = 1;
  EXPECT_FALSE(compared(model, hardware).equal());
}

TEST(Compare, SaysWhatNobodyMeasured) {
  LaunchRecord model = launch();
  model.metrics["smsp__inst_executed.sum"] = 12;
  model.metrics["smsp__cycles_active.sum"] = 5000;
  const Comparison result = compared(model, launch());
  EXPECT_TRUE(result.equal());
  EXPECT_THAT(result.launches[0].not_measured, ElementsAre("smsp__inst_executed.sum"));
}

TEST(Compare, SaysWhichSideLacksInstructions) {
  LaunchRecord bare = launch();
  bare.instructions.clear();
  EXPECT_EQ(compared(bare, launch()).launches[0].without_instructions, "model");
  EXPECT_EQ(compared(launch(), bare).launches[0].without_instructions, "hardware");
  EXPECT_EQ(compared(launch(), launch()).launches[0].without_instructions, "");
}

TEST(Compare, SeesMemoryThatDiffers) {
  LaunchRecord hardware = launch();
  hardware.memory[0].sha256 = "bb";
  EXPECT_FALSE(compared(launch(), hardware).equal());
  hardware.memory.push_back(hardware.memory[0]);
  EXPECT_THAT(compared(launch(), hardware).launches[0].memory_differences,
              testing::ElementsAre(HasSubstr("1 allocations in the model, 2 on hardware")));
}

TEST(Compare, SeesAVariableThatDiffers) {
  LaunchRecord model = launch(), hardware = launch();
  model.globals = {{0, "total", 4, "aa"}};
  hardware.globals = {{0, "total", 4, "bb"}};
  EXPECT_FALSE(compared(model, hardware).equal());
}

TEST(Compare, JoinsInternalFunctionsOfFilesThatLieElsewhere) {
  LaunchRecord model = launch(), hardware = launch();
  model.instructions[0].function = "_ZN38_INTERNAL_ed984dde_8_calls_cu_43ac2d0c1fEi";
  hardware.instructions[0].function = "_ZN38_INTERNAL_91674359_8_calls_cu_43ac2d0c1fEi";
  EXPECT_TRUE(compared(model, hardware).equal());
  hardware.instructions[0].function = "_ZN38_INTERNAL_91674359_8_calls_cu_43ac2d0c1gEi";
  EXPECT_FALSE(compared(model, hardware).equal());
}

TEST(Compare, RefusesDifferentCode) {
  LaunchRecord hardware = launch();
  hardware.code_sha256 = "cd";
  const Comparison result = compared(launch(), hardware);
  EXPECT_TRUE(result.trouble());
  EXPECT_FALSE(result.equal());
  EXPECT_THAT(result.launches[0].trouble, HasSubstr("different code"));
  EXPECT_THAT(result.launches[0].differences, IsEmpty());
  hardware.code_sha256.clear();
  EXPECT_TRUE(compared(launch(), hardware).trouble());
}

TEST(Compare, RefusesAnotherGridAndAnotherKernel) {
  LaunchRecord hardware = launch();
  hardware.grid.x = 2;
  EXPECT_TRUE(compared(launch(), hardware).trouble());
  hardware = launch();
  hardware.kernel = "_Z1jv";
  EXPECT_TRUE(compared(launch(), hardware).trouble());
}

TEST(Compare, MissesALaunchThatOneSideLacks) {
  const Record one = record("model", launch());
  Record two = one;
  two.launches.push_back(launch());
  two.launches[1].index = 1;
  EXPECT_THAT(compare(one, two).launches[1].trouble, HasSubstr("the model's record has no"));
  EXPECT_THAT(compare(two, one).launches[1].trouble, HasSubstr("the hardware's record has no"));
}

// Profilers count what device code launched with the program's launch.
TEST(Compare, AddsWhatDeviceCodeLaunchedAndTakesTheMemoryItLeft) {
  Record model = record("model", launch()), hardware = model;
  LaunchRecord child = launch();
  child.index = 1;
  child.nesting = 1;
  child.grid = {7, 1, 1};
  child.metrics[kInst] = 3;
  child.instructions = {{"_Z1kv", 16, "k.cu:2", "", "EXIT", {{kInst, 1}}},
                        {"_Z5childv", 0, "k.cu:9", "", "EXIT", {{kInst, 2}}}};
  child.memory[0].sha256 = "bb";
  LaunchRecord next = launch();
  next.index = 2;
  model.launches.push_back(child);
  model.launches.push_back(next);

  LaunchRecord& measured = hardware.launches[0];
  measured.metrics[kInst] = 13;
  measured.instructions[1].metrics[kInst] = 7;
  measured.instructions.push_back(child.instructions[1]);
  measured.memory[0].sha256 = "bb";
  next.index = 1;
  hardware.launches.push_back(next);
  const Comparison result = compare(model, hardware);
  EXPECT_THAT(result.launches, SizeIs(2));
  EXPECT_TRUE(result.equal());
  EXPECT_FALSE(result.trouble());
}

// The numbers are those of nested_hello: four grids of one block, and eight blocks by the hardware.
TEST(Compare, LeavesBlocksOutWhereTheDriverLaunchedGridsToo) {
  constexpr const char* kBlocks = "sm__ctas_launched.sum";
  LaunchRecord parent = launch(), measured = launch();
  parent.metrics[kBlocks] = 1;
  measured.metrics[kBlocks] = 8;
  parent.unmodelled = {"launches by device code"};
  Record model = record("model", parent);
  EXPECT_FALSE(compare(model, record("hardware", measured)).equal());
  for (std::uint32_t nesting = 1; nesting < 4; ++nesting) {
    LaunchRecord child = launch();
    child.metrics = {{kInst, 0}, {kBlocks, 1}};
    child.instructions.clear();
    child.index = child.nesting = nesting;
    model.launches.push_back(child);
  }
  const Comparison result = compare(model, record("hardware", measured));
  EXPECT_TRUE(result.equal());
  EXPECT_THAT(result.launches[0].not_modelled, ElementsAre(kBlocks));
}

TEST(Compare, ShowsDifferencesOfAnOrderDependentLaunchAndDoesNotCountThem) {
  LaunchRecord model = launch(), hardware = launch();
  hardware.metrics[kInst] = 11;
  model.launch_class = "order-dependent";
  const Comparison result = compared(model, hardware);
  EXPECT_TRUE(result.equal());
  EXPECT_THAT(result.launches[0].differences, SizeIs(1));
  EXPECT_FALSE(result.launches[0].equal());
}

}  // namespace
}  // namespace heddle::validation
