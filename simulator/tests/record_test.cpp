#include "simulator/record/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "simulator/base/file.hpp"
#include "simulator/base/json.hpp"
#include "simulator/record/record_json.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class RecordFile : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  const tests::ScratchFolder folder_;
};

Record example() {
  Record record;
  record.source = "model";
  record.device = "NVIDIA H200";
  record.arch = "sm_90";
  record.program = {"./simple_divergence", "64"};
  LaunchRecord launch;
  launch.kernel = "_Z11mathKernel1Pf";
  launch.block = {64, 1, 1};
  launch.registers = 10;
  launch.constant_bytes = 0x218;
  launch.code_sha256 = "ab";
  launch.launch_class = "determined";
  launch.races = "not checked";
  launch.counts = "program";
  launch.random_schedule = 18'446'744'073'709'551'615u;
  launch.time_bound = "memory";
  launch.cycles_error = 14;
  launch.metrics = {{"smsp__sass_inst_executed.sum", 240}, {"some.pct", 71.5}};
  launch.instructions = {{"_Z11mathKernel1Pf", 16, "a.cu:12", "f", "EXIT", {{"n.sum", 2}}}};
  launch.memory = {{0, "", 256, "cd"}};
  launch.globals = {{0, "counter", 4, "ef"}};
  launch.fault = "a trap in kernel k";
  launch.fault_kind = "trap";
  record.launches = {launch};
  return record;
}

std::string text_of(const Record& record) { return to_json(record).dump(); }

TEST_F(RecordFile, ReadsBackWhatWasWritten) {
  for (const char* name : {"a.json", "a.json.zst"}) {
    write_record(example(), folder_ / name);
    EXPECT_EQ(text_of(read_record(folder_ / name)), text_of(example())) << name;
  }
}

TEST_F(RecordFile, WithANumberBeyondAllNumbersIsRefused) {
  put("large.json", R"({"schema": "heddle.record/1", "launches": 1e999})");
  EXPECT_THAT([&] { read_record(folder_ / "large.json"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("a number in it is too large")));
}

// The JSON of a long record never stands in memory as a whole: a launch that is wrong is found
// before the end of the text is looked at.
TEST_F(RecordFile, LaunchesAreReadOneByOne) {
  put("wrong.json", R"({"schema": "heddle.record/1", "launches": [{"index": 0}, )");
  EXPECT_THAT([&] { read_record(folder_ / "wrong.json"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("launches[0]: kernel is missing")));
  put("other.json", R"({"schema": "other", "launches": [{"index": 0}]})");
  EXPECT_THAT([&] { read_record(folder_ / "other.json"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("its schema is \"other\"")));
}

// A program may launch one kernel a hundred thousand times.
TEST_F(RecordFile, LaunchesThatAreAlikeAreWrittenOnceBehindTheFirstThousand) {
  Record record = example();
  const LaunchRecord one = record.launches[0];
  LaunchRecord other = one;
  other.metrics["some.pct"] = 72;
  record.launches.clear();
  for (std::uint64_t i = 0; i < 20000; ++i) {
    record.launches.push_back(i % 3 == 2 ? other : one);
    record.launches.back().index = i;
  }
  write_record(record, folder_ / "many.json");
  EXPECT_EQ(text_of(read_record(folder_ / "many.json")), text_of(record));
  const std::uint64_t bytes = read_file(folder_ / "many.json", 1 << 30).size();
  record.launches.resize(1000);
  write_record(record, folder_ / "first.json");
  const std::string first = read_file(folder_ / "first.json", 1 << 30);
  EXPECT_EQ(first, to_json(record).dump(1) + "\n");
  EXPECT_LT(bytes, first.size() + 19000 * 40);
}

// With --per-pc, a launch of a large kernel has a megabyte.
TEST(RecordJson, LongLaunchesThatAreAlikeAreWrittenOnceBehind64Megabytes) {
  std::uint64_t bytes = 0;
  RecordJson json(example(), [&](std::string_view piece) { bytes += piece.size(); });
  const std::string body = ",\n   \"kernel\": \"" + std::string(1'000'000, 'k') + "\"\n  }";
  for (std::uint64_t i = 0; i < 200; ++i) json.add(i, body);
  EXPECT_GT(bytes, 63'000'000u);
  EXPECT_LT(bytes, 66'000'000u);
}

TEST(RecordJson, LaunchesToldAsOthersAreChecked) {
  const auto read = [](const char* launch, std::uint64_t most) {
    auto json = to_json(example());
    json["launches"].push_back(nlohmann::ordered_json::parse(launch));
    return record_from_json(json, "f.json", most).launches.size();
  };
  EXPECT_EQ(read(R"({"index":1,"as":0})", 1 << 20), 2u);
  EXPECT_THAT(
      [&] { read(R"({"index":1,"as":1})", 1 << 20); },
      ThrowsMessage<std::runtime_error>(HasSubstr("launches[1]: no launch 1 is before it")));
  EXPECT_THAT([&] { read(R"({"as":0})", 1 << 20); },
              ThrowsMessage<std::runtime_error>(HasSubstr("index is missing")));
  EXPECT_THAT([&] { read(R"({"index":1,"as":0})", 10); },
              ThrowsMessage<std::runtime_error>(HasSubstr("too much memory")));
}

TEST(RecordJson, MeasurementsOfTimeAndSamplesAreRead) {
  auto json = to_json(example());
  json["launches"][0]["timing"]["sm__cycles_active.max"] = {5, 7, 6};
  const std::string stall = "smsp__pcsamp_warps_issue_stalled_";
  json["launches"][0]["sampled"] = {
      {"samples", 9},
      {"instructions",
       {{{"function", "_Z11mathKernel1Pf"},
         {"pc", 16},
         {"stalls", {{stall + "wait", 3}, {stall + "wait_not_issued", 2}}}},
        {{"function", "_Z11mathKernel1Pf"},
         {"pc", 32},
         {"stalls", {{stall + "no_instructions", 6}}}}}}};
  const LaunchRecord launch = record_from_json(json, "x").launches[0];
  EXPECT_THAT(launch.timing.at("sm__cycles_active.max"), ::testing::ElementsAre(5, 7, 6));
  ASSERT_EQ(launch.instructions.size(), 2U);
  EXPECT_EQ(launch.instructions[0].metrics, (MetricValues{{"n.sum", 2}, {stall + "wait.sum", 3}}));
  EXPECT_EQ(launch.instructions[1].metrics, (MetricValues{{stall + "no_instruction.sum", 6}}));
  json["launches"][0]["timing"]["sm__cycles_active.max"] = 5;
  EXPECT_THAT([&] { (void)record_from_json(json, "x"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("sm__cycles_active.max is not a list")));
}

TEST_F(RecordFile, LeavesNothingBesideItself) {
  write_record(example(), folder_ / "a.json");
  write_record(example(), folder_ / "a.json");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(RecordFile, ThatCannotBeWrittenLeavesTheOldOne) {
  EXPECT_THAT([&] { write_record(example(), folder_ / "none" / "a.json"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("none/a.json: cannot be written")));
}

TEST(RecordJson, WritesCountsAsWholeNumbers) {
  EXPECT_THAT(text_of(example()), HasSubstr("\"smsp__sass_inst_executed.sum\":240,"));
}

TEST(RecordJson, LeavesOutWhatIsNotKnown) {
  Record record = example();
  record.launches[0].constant_bytes.reset();
  record.launches[0].launch_class.clear();
  const std::string text = text_of(record);
  EXPECT_THAT(text, ::testing::Not(HasSubstr("constant_bytes")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("class\"")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("driver")));
}

TEST_F(RecordFile, WithAKeyThatIsMissingOrWrongIsRefusedByName) {
  const auto read = [&](auto change) {
    nlohmann::ordered_json json = to_json(example());
    change(json);
    put("b.json", json.dump());
    return [path = folder_ / "b.json"] { read_record(path); };
  };
  EXPECT_THAT(
      read([](auto& json) { json["launches"][0].erase("kernel"); }),
      ThrowsMessage<std::runtime_error>(HasSubstr("b.json: launches[0]: kernel is missing")));
  EXPECT_THAT(read([](auto& json) { json["launches"][0]["registers"] = -1; }),
              ThrowsMessage<std::runtime_error>(HasSubstr("registers is not a whole number")));
  EXPECT_THAT(read([](auto& json) { json["launches"][0]["registers"] = 4294967296; }),
              ThrowsMessage<std::runtime_error>(HasSubstr("registers is not a whole number")));
  EXPECT_THAT(read([](auto& json) { json["launches"][0]["metrics"]["a"] = "b"; }),
              ThrowsMessage<std::runtime_error>(HasSubstr("metrics: a is not a number")));
  EXPECT_THAT(read([](auto& json) { json["launches"] = 3; }),
              ThrowsMessage<std::runtime_error>(HasSubstr("launches is not a list")));
  EXPECT_THAT(read([](auto& json) { json["schema"] = "heddle.record/2"; }),
              ThrowsMessage<std::runtime_error>(HasSubstr("heddle.record/2")));
  EXPECT_THAT(read([](auto& json) { json["source"] = "guess"; }),
              ThrowsMessage<std::runtime_error>(HasSubstr("source is neither")));
}

TEST_F(RecordFile, ThatIsNestedWithoutEndIsRefused) {
  put("deep.json", std::string(1000000, '['));
  EXPECT_THAT([&] { read_record(folder_ / "deep.json"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("nested deeper")));
}

TEST_F(RecordFile, ThatIsCutShortIsRefused) {
  put("cut.json", text_of(example()).substr(0, 100));
  EXPECT_THROW(read_record(folder_ / "cut.json"), std::runtime_error);
  const std::string packed = compress(text_of(example()));
  put("cut.json.zst", packed.substr(0, packed.size() / 2));
  EXPECT_THAT([&] { read_record(folder_ / "cut.json.zst"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("ends early")));
}

TEST(Decompress, RefusesWhatGrowsBeyondItsBound) {
  const std::string bomb = compress(std::string(64 << 20, 'a'));
  EXPECT_THAT([&] { decompress(bomb, 1 << 20, "bomb"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("bomb: grows beyond 1048576 bytes")));
  EXPECT_THAT([&] { decompress(bomb, std::uint64_t{1} << 40, "bomb"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("grows beyond")));
}

}  // namespace
}  // namespace heddle::simulator
