#include "cli/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/launch_text.hpp"
#include "cli/selection.hpp"

namespace heddle::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Visible, ShowsEscapeSequencesInsteadOfSendingThem) {
  EXPECT_EQ(visible("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(visible("größe"), "größe");
}

TEST(DisplayName, IsTheWholeNameWhereThatIsShort) {
  EXPECT_EQ(simulator::display_name("_Z11mathKernel1Pf"), "mathKernel1(float*)");
  EXPECT_EQ(simulator::display_name("_Z6reduceILj512EEvPiS0_j"),
            "void reduce<512u>(int*, int*, unsigned int)");
  EXPECT_EQ(simulator::display_name("kernel"), "kernel");
}

TEST(DisplayName, LosesTemplateArgumentsThenParametersThenItsEnd) {
  const std::string longest(60, 'x');  // of a template's argument, a parameter, a name
  EXPECT_EQ(simulator::display_name("void scan<" + longest +
                                    "<int>, 4>(int*, (anonymous)::" + longest.substr(0, 30) + ")"),
            "void scan<…>(int*, (anonymous)::" + longest.substr(0, 30) + ")");
  EXPECT_EQ(simulator::display_name("scan<" + longest + ">(" + longest + longest + ")"),
            "scan<…>(…)");
  EXPECT_EQ(simulator::display_name(longest + longest), longest + longest.substr(0, 40) + "…");
}

TEST(Demangled, GivesTheNameOfTheSource) {
  EXPECT_EQ(demangled("_Z11mathKernel1Pf"), "mathKernel1(float*)");
  EXPECT_EQ(demangled("kernel"), "kernel");
  EXPECT_EQ(demangled("_Z"), "_Z");
  EXPECT_EQ(demangled("__nv_static_22__7ca640ff_5_st_cu_main__Z1kPi"), "k(int*)");
  for (const char* broken :
       {"__nv_static_", "__nv_static_22_", "__nv_static_99__7ca640ff_5__Z1kPi",
        "__nv_static_20__7ca640ff_5_st_cu_main__Z1kPi", "__nv_static_18446744073709551615__Z1kPi"})
    EXPECT_EQ(demangled(broken), broken);
  const std::string in_file = "_ZN38_INTERNAL_91674359_8_calls_cu_43ac2d0c4cubeEi";
  EXPECT_EQ(demangled(in_file), "cube(int)");
  EXPECT_EQ(base_name(in_file), "cube");
  EXPECT_EQ(base_name("_Z11mathKernel1Pf"), "mathKernel1");
  EXPECT_EQ(base_name("_Z6reduceILj512EEvPiS0_j"), "reduce");
}

// As of CUTLASS's kernels: arguments that the C++ library cannot read, or too many.
TEST(Demangled, LeavesOutTemplateArgumentsThatCannotBeRead) {
  const std::string many = "_ZN4work5scaleIJ" + std::string(5000, 'i') + "EEEvT_";
  for (const std::string& name : {std::string("_ZN4work5scaleI?EvT_"), many}) {
    EXPECT_EQ(demangled(name), "work::scale<…>(…)");
    EXPECT_EQ(base_name(name), "work::scale");
    EXPECT_TRUE(simulator::KernelFilter("work::scale").matches(name));
  }
  EXPECT_EQ(demangled("_Z5scaleI?EvT_"), "scale<…>(…)");
  for (const char* broken : {"_ZN4work5scaleE?", "_ZN4work9scaleIEv", "_ZN0IEv", "_ZNI", "_Z99kI"})
    EXPECT_EQ(demangled(broken), broken);
}

// nvcc's names for "namespace { __global__ void scale(float*); }", a template there, and
// "namespace work { namespace { __global__ void scale(float*); } }".
TEST(BaseName, LeavesUnnamedNamespacesOut) {
  EXPECT_EQ(base_name("_ZN34_GLOBAL__N__438c8c8f_4_k_cu__Z1fPf5scaleEPf"), "scale");
  EXPECT_EQ(base_name("_ZN34_GLOBAL__N__438c8c8f_4_k_cu__Z1fPf9scale_anyIfEEvPT_"), "scale_any");
  EXPECT_EQ(base_name("_ZN4work34_GLOBAL__N__438c8c8f_4_k_cu__Z1fPf5scaleEPf"), "work::scale");
}

TEST(Readable, GroupsDigits) {
  EXPECT_EQ(readable(0), "0");
  EXPECT_EQ(readable(999), "999");
  EXPECT_EQ(readable(1000), "1,000");
  EXPECT_EQ(readable(26966016), "26,966,016");
  EXPECT_EQ(readable(71.428), "71.43");
  EXPECT_EQ(readable(-1234), "-1,234");
}

TEST(CsvCell, IsNeverAFormula) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@x"), "'@x");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_cell("plain"), "plain");
}

TEST(Table, AlignsNumbersAtTheRight) {
  Table table({"name", "value"});
  table.add({"a", "1"});
  table.add({"b", "1,000"});
  EXPECT_EQ(table.text(), "name  value\na         1\nb     1,000\n");
}

simulator::LaunchRecord math_kernel(double uniform, double divergent) {
  simulator::LaunchRecord launch;
  launch.kernel = "_Z11mathKernel1Pf";
  launch.block = {64, 1, 1};
  launch.registers = 16;
  launch.launch_class = "determined";
  const double targets = uniform + divergent;
  launch.metrics = {{"smsp__sass_branch_targets.sum", targets},
                    {"smsp__sass_branch_targets_threads_divergent.sum", divergent},
                    {"smsp__sass_inst_executed.sum", 240}};
  if (targets != 0)
    launch.metrics["smsp__sass_average_branch_targets_threads_uniform.pct"] =
        100 * uniform / targets;
  return launch;
}

std::string line_with(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(KernelTables, ShowWhatADeveloperAsksFirst) {
  const simulator::LaunchRecord launch = math_kernel(8, 2);
  const simulator::LaunchRecord* chosen[] = {&launch};
  const std::string text =
      kernel_tables(chosen, {}, simulator::gpu_model("h200"), Style::choose("never", 2));
  EXPECT_THAT(text, HasSubstr("mathKernel1(float*)"));
  EXPECT_THAT(line_with(text, "branch_efficiency"), HasSubstr("80.00"));
  EXPECT_THAT(text, HasSubstr("theoretical occupancy 100.0 %"));
  EXPECT_THAT(text, HasSubstr("limited by"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 24) << "does not fit on one screen";
}

TEST(KernelTables, SayDeterminedWithoutConditionWhereNothingRaces) {
  simulator::LaunchRecord launch = math_kernel(8, 2);
  const auto shown = [&launch](const char* races) {
    launch.races = races;
    const simulator::LaunchRecord* chosen[] = {&launch};
    return line_with(
        kernel_tables(chosen, {}, simulator::gpu_model("h200"), Style::choose("never", 2)),
        "determined");
  };
  EXPECT_EQ(shown("none"), "  determined");
  EXPECT_THAT(shown("not checked"), HasSubstr("determined if free of races"));
  EXPECT_THAT(shown(""), HasSubstr("determined if free of races"));  // of an older record
}

TEST(KernelTables, StateTheErrorOfModelledCycles) {
  simulator::LaunchRecord launch = math_kernel(8, 2);
  launch.metrics["sm__cycles_active.max"] = 9000;
  launch.time_bound = "barriers";
  const simulator::LaunchRecord* chosen[] = {&launch};
  const auto shown = [&] {
    return kernel_tables(chosen, {}, simulator::gpu_model("h200"), Style::choose("never", 2));
  };
  EXPECT_THAT(shown(), Not(HasSubstr("cycles are within")));
  launch.cycles_error = 14;
  EXPECT_THAT(shown(), HasSubstr("cycles are within 14 % of the GPU's in nine of ten launches of "
                                 "this kind: warps wait for one another"));
}

TEST(KernelTables, GiveTheRangeOverLaunchesOfOneShape) {
  const simulator::LaunchRecord one = math_kernel(8, 2), two = math_kernel(10, 0);
  const simulator::LaunchRecord* chosen[] = {&one, &two};
  const std::string text =
      kernel_tables(chosen, {}, simulator::gpu_model("h200"), Style::choose("never", 2));
  EXPECT_THAT(text, HasSubstr("2 launches"));
  EXPECT_THAT(line_with(text, "divergent_branch"), HasSubstr("0 … 2"));
  EXPECT_THAT(line_with(text, "branch_efficiency"), HasSubstr("80.00 … 100.00"));
}

TEST(NvprofText, SaysHundredPercentWhereThereIsNoBranch) {
  const simulator::LaunchRecord launch = math_kernel(0, 0);
  const simulator::LaunchRecord* chosen[] = {&launch};
  const simulator::Metric* metrics[] = {simulator::find_metric("branch_efficiency"),
                                        simulator::find_metric("divergent_branch")};
  const std::string text = nvprof_text(chosen, metrics, "NVIDIA H200");
  EXPECT_THAT(text, HasSubstr("Device \"NVIDIA H200 (0)\""));
  EXPECT_THAT(text, HasSubstr("Kernel: mathKernel1(float*)"));
  EXPECT_THAT(line_with(text, "Branch Efficiency"), HasSubstr("100.00%"));
  EXPECT_THAT(text, HasSubstr("Event result:"));
}

TEST(NvprofText, LeavesOutWhatTakesTimeWhereNoneWasTaken) {
  const simulator::LaunchRecord launch = math_kernel(8, 2);
  const simulator::LaunchRecord* chosen[] = {&launch};
  const std::string text = nvprof_text(chosen, {}, "NVIDIA H200");
  EXPECT_THAT(text, HasSubstr("branch_efficiency"));
  EXPECT_THAT(text, Not(HasSubstr("gld_throughput")));
}

TEST(NvprofText, GivesThroughputInItsUnits) {
  simulator::LaunchRecord launch = math_kernel(8, 2);
  const simulator::Metric* metrics[] = {simulator::find_metric("gld_throughput")};
  launch.metrics.insert_or_assign(metrics[0]->name, 157417111416.78);
  const simulator::LaunchRecord* chosen[] = {&launch};
  EXPECT_THAT(nvprof_text(chosen, metrics, "NVIDIA H200"), HasSubstr("  157.42GB/s"));
}

TEST(Csv, HasOneRowPerLaunchAndMetric) {
  const simulator::LaunchRecord launch = math_kernel(8, 2);
  const simulator::LaunchRecord* chosen[] = {&launch};
  const simulator::Metric* metrics[] = {simulator::find_metric("branch")};
  EXPECT_EQ(csv(chosen, metrics),
            "launch,kernel,grid,block,function,pc,line,metric,unit,kind,value\n"
            "0,mathKernel1(float*),\"(1,1,1)\",\"(64,1,1)\",,,,smsp__sass_branch_targets.sum,"
            "branch,exact,10\n");
}

}  // namespace
}  // namespace heddle::cli
