// A kernel of a cubin, launched without a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "cli/command.hpp"
#include "cli/kernel_parameter.hpp"
#include "cli/tests/shell.hpp"
#include "simulator/base/file.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::HasSubstr;

// Of `second`: p[0] = square(p[1]) + square(p[1] + 1), p[1] = square(p[1]) + 3.
const std::string kCubin = HEDDLE_SOURCE_DIR "/isa/tests/cubins/lines.sm_90.cubin";
const std::string kShape = "run -k second --grid 1 --block 1 ";

Outcome heddle(const std::string& words, Kept kept = Kept::errors) {
  return run_heddle(words, kept);
}

template <typename Number>
Number number_in(const KernelParameter& parameter, std::size_t place = 0) {
  Number number;
  std::memcpy(&number, parameter.bytes.data() + place * sizeof number, sizeof number);
  return number;
}

// Its groups meet elsewhere in code without a profiler's patches, which counters see.
TEST(CubinRun, ExecutesALaunchTwiceOnlyForCountersThatAreAskedFor) {
  const heddle::tests::ScratchFolder folder;
  const std::string kernel =
      "-k _Z4meetIL4Work2EEvjPjS1_jj --grid 4 --block 32 --param 100 --param 'i32[262144]' "
      "--param 'i32[262144]' --param 12 --param 6 " HEDDLE_SOURCE_DIR
      "/simulator/tests/kernels/patched_code.sm_90.cubin";
  const auto record_with = [&](const std::string& metrics) {
    const std::string file = (folder / "record.json").string();
    EXPECT_EQ(heddle("run -o " + file + " " + metrics + " " + kernel).status, 0);
    return simulator::read_file(file, 1 << 20);
  };
  const std::string counter = "\"smsp__inst_executed.sum\"";
  EXPECT_THAT(record_with(""), HasSubstr(counter));
  EXPECT_THAT(record_with("--metrics smsp__inst_executed.sum"), HasSubstr(counter));
  const std::string without = record_with("--metrics smsp__sass_inst_executed.sum");
  EXPECT_THAT(without, ::testing::Not(HasSubstr(counter)));
  EXPECT_THAT(without, HasSubstr("smsp__sass_inst_executed.sum"));
  EXPECT_THAT(without, HasSubstr("hardware counters not computed for this launch: request them "
                                 "with --metrics"));
}

TEST(CubinRun, LaunchesAKernelAndPrintsAnArray) {
  const Outcome outcome = heddle(kShape + "--param 'f32[4]=2' --dump 0 " + kCubin, Kept::output);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.text, "parameter 0, f32[4]:\n13 7 2 2\n");
  EXPECT_THAT(heddle(kShape + "--param 'f32[4]' " + kCubin, Kept::output).text,
              HasSubstr("second(float*)"));
}

TEST(CubinRun, ReadsAndWritesFiles) {
  const tests::ScratchFolder folder;
  const float values[] = {0, 3};
  simulator::write_file(folder / "in", {reinterpret_cast<const char*>(values), sizeof values});
  EXPECT_EQ(heddle(kShape + "--param 'f32[2]=@" + (folder / "in").string() +
                   "' --dump 0=" + (folder / "out").string() + " " + kCubin)
                .status,
            0);
  const std::string out = simulator::read_file(folder / "out", 1 << 10);
  ASSERT_EQ(out.size(), sizeof values);
  float result[2];
  std::memcpy(result, out.data(), sizeof result);
  EXPECT_EQ(result[0], 25);
  EXPECT_EQ(result[1], 12);
}

TEST(CubinRun, SaysWhatToType) {
  EXPECT_THAT(heddle("run --grid 1 --block 1 " + kCubin).text,
              HasSubstr("choose one kernel with -k NAME; there are first, second"));
  EXPECT_THAT(heddle("run -k nope --grid 1 --block 1 " + kCubin).text,
              HasSubstr("no kernel nope; there are first, second"));
  EXPECT_THAT(heddle("run -k secnd --grid 1 --block 1 " + kCubin).text,
              HasSubstr("no kernel secnd; did you mean second?"));
  EXPECT_THAT(heddle("run -k regex:s --grid 1 --block 1 " + kCubin).text,
              HasSubstr("choose one kernel with -k NAME; there are first, second"));
  EXPECT_THAT(heddle("run -k 'regex:[' --grid 1 --block 1 " + kCubin).text,
              HasSubstr("is not a regular expression"));
  EXPECT_THAT(heddle(kShape + kCubin).text,
              HasSubstr("second(float*) takes 1 parameter: 8 bytes; give each with --param"));
  EXPECT_THAT(heddle("run -k second --block 1 --param 'f32[4]' " + kCubin).text,
              HasSubstr("--grid needs one to three numbers, as in --grid 64"));
  EXPECT_THAT(heddle(kShape + "--param 'f32[4]=x' " + kCubin).text, HasSubstr("i32[64]=iota"));
  EXPECT_THAT(heddle(kShape + "--param 'f32[4]' --dump 1 " + kCubin).text,
              HasSubstr("parameter 1 is not an array"));
  EXPECT_THAT(heddle("run --gpu t4 -k second --grid 1 --block 1 " + kCubin).text,
              HasSubstr("is code for sm_90, which this GPU (sm_75) does not run"));
  EXPECT_EQ(heddle(kShape + kCubin).status, 2);
}

// Instances of a template have one name in the source.
TEST(CubinRun, NamesInstancesOfATemplateInWhole) {
  const std::string meet =
      HEDDLE_SOURCE_DIR "/simulator/tests/kernels/patched_code.sm_90.cubin --grid 1 --block 1";
  EXPECT_THAT(heddle("run -k meet " + meet).text, HasSubstr("there are void meet<"));
}

TEST(CubinRun, KnowsACubinByItsContents) {
  const tests::ScratchFolder folder;
  const std::string file = (folder / "kernels").string();
  simulator::write_file(file, simulator::read_file(kCubin, 1 << 20));
  EXPECT_EQ(heddle(kShape + "--param 'f32[4]=2' --dump 0 " + file, Kept::output).status, 0);
}

TEST(KernelParameter, TakesNumbersOfTheParametersWidth) {
  EXPECT_EQ(number_in<std::int32_t>(parse_parameter("-7", 4)), -7);
  EXPECT_EQ(number_in<std::uint64_t>(parse_parameter("0xffffffffffffffff", 8)), ~0ULL);
  EXPECT_EQ(number_in<float>(parse_parameter("2.5", 4)), 2.5F);
  EXPECT_EQ(number_in<double>(parse_parameter("1e3", 8)), 1000.0);
  EXPECT_EQ(number_in<float>(parse_parameter("f32:3", 4)), 3.0F);
  EXPECT_EQ(number_in<std::int8_t>(parse_parameter("i8:-1", 1)), -1);
}

TEST(KernelParameter, RefusesWhatDoesNotFit) {
  for (const char* text : {"", "x", "1x", "256", "-129", "2.5", "f32:1", "u8[4]", "u8:-1"})
    EXPECT_THROW(parse_parameter(text, 1), Usage) << text;
  for (const char* text : {"f32[]", "f32[0]", "f32[4", "f99[4]", "f32[4]x", "f32[4]=", "i8[4]=200",
                           "u64[999999999999]"})
    EXPECT_THROW(parse_parameter(text, 8), Usage) << text;
  EXPECT_THROW(parse_parameter("1", 24), Usage);
}

TEST(KernelParameter, FillsArrays) {
  EXPECT_EQ(number_in<std::int16_t>(parse_parameter("i16[300]=iota", 8), 299), 299);
  EXPECT_EQ(number_in<double>(parse_parameter("f64[3]=-0.5", 8), 2), -0.5);
  const KernelParameter random = parse_parameter("u32[1000]=random", 8);
  EXPECT_EQ(random.bytes, parse_parameter("u32[1000]=random", 8).bytes);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_LT(number_in<std::uint32_t>(random, i), 100u);
}

TEST(KernelParameter, ShowsArraysInLines) {
  const KernelParameter array = parse_parameter("i8[10]=iota", 8);
  EXPECT_EQ(array_text(array, array.bytes.data()), "0 1 2 3 4 5 6 7\n8 9\n");
}

}  // namespace
}  // namespace heddle::cli
