#include "validation/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "simulator/base/file.hpp"
#include "simulator/timing/print_shares.hpp"
#include "validation/micro_launches.hpp"

namespace heddle::validation {
namespace {

const std::filesystem::path kSource = HEDDLE_SOURCE_DIR;

TEST(MicroRecord, LinesBecomeAnswers) {
  const auto record = parse_micro_record(
      "# program memory\n# device NVIDIA H200\n# compiler 13.0.88\n# date 2026-11-21T22:32:03Z\n"
      "latency.lds32\t29.625\tcycle\t29\t30\t9\n",
      "memory.txt");
  EXPECT_EQ(record.program, "memory");
  EXPECT_EQ(record.answers.at("latency.lds32").unit, "cycle");
  EXPECT_DOUBLE_EQ(record["latency.lds32"], 29.625);
  EXPECT_THROW((void)record["latency.ldc"], std::runtime_error);
}

TEST(MicroRecord, BadLineIsNamed) {
  const std::string head = "# program p\n# device d\n# date 2026\n";
  for (const std::string line : {"a\t1\tcycle\n", "a\tx\tcycle\t1\t1\t1\n"}) try {
      (void)parse_micro_record(head + line, "p.txt");
      ADD_FAILURE() << line;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("p.txt:4"), std::string::npos) << error.what();
    }
  EXPECT_THROW((void)parse_micro_record("a\t1\tcycle\t1\t1\t1\n", "p.txt"), std::runtime_error);
}

TEST(MicroRecord, LaunchesBecomeAnswers) {
  simulator::Record record;
  record.toolchain = "CUDA 13.0.88";
  simulator::LaunchRecord launch;
  launch.kernel = "_Z7nothingv";
  launch.grid = {2, 1, 1};
  launch.block = {64, 1, 1};
  launch.timing["sm__cycles_active.max"] = {30, 10, 20};
  launch.timing["sm__cycles_elapsed.max"] = {3000};
  launch.timing["sm__cycles_active.avg"] = {0.5};
  launch.timing["smsp__issue_active.sum"] = {8};
  launch.timing["smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"] = {5};
  record.launches.push_back(launch);
  const auto answers = answers_of_launches(record, {}, "launches");
  EXPECT_EQ(answers.compiler, "13.0.88");
  EXPECT_DOUBLE_EQ(answers["nothing.b2.t64.active"], 20);
  EXPECT_DOUBLE_EQ(answers["nothing.b2.t64.issued"], 2);  // of four warps each
  EXPECT_DOUBLE_EQ(answers["nothing.b2.t64.drain"], 10);
  EXPECT_DOUBLE_EQ(answers_of_launches(record, {"one"}, "launches")["one.drain"], 10);
  EXPECT_THROW((void)answers_of_launches(record, {"one", "two"}, "launches"), std::runtime_error);
  record.launches[0].timing.erase("smsp__issue_active.sum");
  EXPECT_THROW((void)answers_of_launches(record, {}, "launches"), std::runtime_error);
}

TEST(Calibration, CommittedModelIsWhatTheRecordsGive) {
  const std::string model =
      simulator::read_file(kSource / "simulator/models/h200.toml", std::uint64_t{1} << 20);
  const auto records = read_micro_records(kSource / "validation/records/h200/micro");
  EXPECT_EQ(calibrated_model(model, records), model) << "run heddle calibrate";
}

// Cycles of a warp by the members of PrintShares.
using PrintCycles = std::array<double, 7>;

PrintCycles operator-(PrintCycles cycles, const PrintCycles& less) {
  for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] -= less[i];
  return cycles;
}

// Of each further call.
PrintCycles further_print(const MicroRecord& answers, const std::string& what, int calls,
                          const std::string& shape) {
  constexpr const char* kReasons[] = {
      "wait",   "selected",        "no_instruction", "long_scoreboard", "short_scoreboard",
      "membar", "branch_resolving"};
  PrintCycles cycles{};
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const auto spent = [&](int count) {
      return answers[what + ".calls" + std::to_string(count) + "." + shape + ".warps0." +
                     kReasons[i]];
    };
    cycles[i] = (spent(calls) - spent(1)) / (calls - 1);
  }
  return cycles;
}

void expect_shares(const simulator::timing::PrintShares& shares, const PrintCycles& cycles,
                   const char* what) {
  constexpr double kThousand = 1000, kRounding = 1;
  const double expected[] = {static_cast<double>(shares.wait),
                             static_cast<double>(shares.selected),
                             static_cast<double>(shares.no_instruction),
                             static_cast<double>(shares.long_scoreboard),
                             static_cast<double>(shares.short_scoreboard),
                             static_cast<double>(shares.membar),
                             static_cast<double>(shares.branch_resolving)};
  double sum = 0;
  for (const double each : cycles) sum += std::max(each, 0.0);
  for (std::size_t i = 0; i < cycles.size(); ++i)
    EXPECT_NEAR(expected[i], kThousand * std::max(cycles[i], 0.0) / sum, kRounding)
        << what << ", " << i;
}

TEST(Calibration, SharesOfPrintfAreWhatTheRecordGives) {
  const auto records = read_micro_records(kSource / "validation/records/h200/micro");
  const MicroRecord& answers = records.at("cold_prints");
  const auto calls = [&](const std::string& what, int count, const std::string& shape) {
    return further_print(answers, what, count, shape);
  };
  const std::string one_thread = "b1.t1.lanes32", one_lane = "b1.t32.lanes1";
  const PrintCycles call = calls("int1", 16, one_lane);
  const PrintCycles few = calls("int1", 4, "b132.t32.lanes4");
  const PrintCycles many = calls("int1", 4, "b132.t32.lanes32");
  using namespace simulator::timing;
  expect_shares(kOfCall, call, "of a call");
  expect_shares(kOfCharacters, calls("chars64", 16, one_thread) - calls("chars1", 16, one_thread),
                "of characters");
  expect_shares(kOfLanes, calls("hello", 4, "b1.t32.lanes32") - calls("hello", 4, one_lane),
                "of lanes");
  expect_shares(kOfFewLanesTurns, few - call, "of few lanes' turns");
  expect_shares(kOfMoreLanesTurns, many - few, "of more lanes' turns");
}

TEST(Calibration, RowsOfOtherConstantsStay) {
  const auto records = read_micro_records(kSource / "validation/records/h200/micro");
  std::string model = "[timing]\n";
  for (const Calibrated& constant : calibrate(records))
    model += constant.name + " = { value = 0, unit = \"cycle\", source = \"guess: x\" }\n";
  const std::string kept = "other = { value = 7, unit = \"cycle\", source = \"guess: y\" }\n";
  const std::string text = calibrated_model(model + kept, records);
  EXPECT_TRUE(text.ends_with(kept));
  EXPECT_EQ(text.find("guess: x"), std::string::npos);
  EXPECT_THROW((void)calibrated_model("[timing]\n" + kept, records), std::runtime_error);
}

}  // namespace
}  // namespace heddle::validation
