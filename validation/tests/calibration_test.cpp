#include "validation/calibration.hpp"

#include <gtest/gtest.h>

#include "simulator/base/file.hpp"
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
