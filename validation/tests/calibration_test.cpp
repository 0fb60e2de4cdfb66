#include "validation/calibration.hpp"

#include <gtest/gtest.h>

#include "simulator/file.hpp"

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
