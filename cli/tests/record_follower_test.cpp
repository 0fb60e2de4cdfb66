#include "cli/record_follower.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// As RecordStreamWriter writes it: a launch in full, and two that are like it.
constexpr const char* kBegin =
    R"({"schema":"heddle.record-stream/3","process":17,"device":"d","arch":"sm_90","program":["p"]})"
    "\n";
constexpr const char* kLaunches =
    R"({"names":["a.sum","b.sum"]})"
    "\n"
    R"({"index":0,"kernel":"k","grid":[1,1,1],"block":[32,1,1],"dynamic_shared_bytes":0,)"
    R"("static_shared_bytes":0,"registers":8,"local_bytes":0,"metrics":[3,4.5]})"
    "\n"
    R"({"index":1,"as":0})"
    "\n"
    R"({"index":2,"as":0})"
    "\n";

class RecordFollowerTest : public testing::Test {
 protected:
  RecordFollowerTest() { fs::create_directory(streams_); }
  void put(long process, const std::string& text) {
    std::ofstream(streams_ / std::to_string(process), std::ios::app | std::ios::binary) << text;
  }
  const tests::ScratchFolder folder_;
  const fs::path streams_ = folder_ / "streams";
};

TEST_F(RecordFollowerTest, WritesTheRecordOfAProgramThatWasCutShort) {
  const fs::path file = folder_ / "out.json";
  RecordFollower follower(streams_, file);
  put(17, kBegin);
  put(17, std::string(kLaunches) + R"({"index":3,"a)");
  const auto records = follower.finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].process, 17);
  EXPECT_TRUE(records[0].written);
  const simulator::Record read = simulator::read_record(file);
  for (const simulator::Record* record : {&records[0].record, &read}) {
    EXPECT_FALSE(record->complete);
    ASSERT_EQ(record->launches.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(record->launches[i].index, i);
      EXPECT_EQ(record->launches[i].metrics.at("b.sum"), 4.5);
    }
  }
}

TEST_F(RecordFollowerTest, KeepsTheFirstLaunchThatHadNotEnded) {
  const fs::path file = folder_ / "out.json";
  RecordFollower follower(streams_, file);
  put(17, std::string(kBegin) +
              R"({"running":{"index":0,"kernel":"_Z4slowv","blocks_ended":10,"blocks":132}})"
              "\n");
  const auto records = follower.finish();
  ASSERT_EQ(records.size(), 1u);
  ASSERT_TRUE(records[0].running);
  EXPECT_EQ(records[0].running->kernel, "_Z4slowv");
  EXPECT_FALSE(simulator::read_record(file).complete);
  const std::string text = simulator::read_file(file, 1 << 20);
  EXPECT_NE(text.find(R"("running": {"index":0,"kernel":"_Z4slowv","blocks_ended":10)"), text.npos)
      << text;
}

TEST_F(RecordFollowerTest, ForgetsALaunchThatHasEnded) {
  RecordFollower follower(streams_, {});
  put(17, std::string(kBegin) +
              R"({"running":{"index":0,"kernel":"k","blocks_ended":10,"blocks":132}})"
              "\n" +
              kLaunches);
  const auto records = follower.finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_FALSE(records[0].running);
}

TEST_F(RecordFollowerTest, WritesTheBytesThatWriteRecordWould) {
  const fs::path file = folder_ / "out.json", whole = folder_ / "whole.json";
  RecordFollower follower(streams_, file);
  put(17, std::string(kBegin) + kLaunches + "{\"complete\":true}\n");
  const auto records = follower.finish();
  simulator::write_record(records.at(0).record, whole);
  EXPECT_EQ(simulator::read_file(file, 1 << 20), simulator::read_file(whole, 1 << 20));
}

TEST_F(RecordFollowerTest, WritesWhatTheHostTookBehindTheLaunches) {
  const fs::path plain = folder_ / "plain.json", file = folder_ / "out.json";
  const std::string text = std::string(kBegin) + kLaunches + "{\"complete\":true}\n";
  put(17, text);
  EXPECT_EQ(RecordFollower(streams_, plain).finish().size(), 1u);
  const std::string timed =
      std::regex_replace(text, std::regex(R"("index":(\d))"), R"("index":$1,"seconds":0.5)");
  std::ofstream(streams_ / "17", std::ios::binary) << timed;
  EXPECT_EQ(RecordFollower(streams_, file, true).finish().size(), 1u);
  const std::string without = simulator::read_file(plain, 1 << 20);
  const std::string with = simulator::read_file(file, 1 << 20);
  const std::string times = ",\n \"host_seconds\": [0.500000000, 0.500000000, 0.500000000]";
  const std::size_t at = with.find(times);
  ASSERT_NE(at, with.npos) << with;
  EXPECT_EQ(with.substr(0, at) + with.substr(at + times.size()), without);
}

// A compressed record is written at the end, by another function.
TEST_F(RecordFollowerTest, GivesWhatACompressedRecordNeedsToHoldTheSame) {
  const fs::path plain = folder_ / "plain.json", packed = folder_ / "packed.json.zst";
  put(17, std::string(kBegin) + kLaunches +
              R"({"library_call":{"before":3,"name":"cublasSgemm","type":"float","shape":"2x2"}})"
              "\n"
              R"({"running":{"index":3,"kernel":"k","blocks_ended":10,"blocks":132}})"
              "\n");
  EXPECT_EQ(RecordFollower(streams_, plain, true).finish().size(), 1u);
  const auto records = RecordFollower(streams_, packed, true).finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_FALSE(records[0].written);
  simulator::write_record(records[0].record, packed, records[0].more);
  const std::string text =
      simulator::decompress(simulator::read_file(packed, 1 << 20), 1 << 20, "packed");
  EXPECT_EQ(text, simulator::read_file(plain, 1 << 20));
  for (const char* member : {"library_calls", "running", "host_seconds"})
    EXPECT_NE(text.find(member), text.npos) << member;
}

TEST_F(RecordFollowerTest, WritesNoFileThatTwoProcessesWouldShare) {
  for (const char* name : {"one.json", "%p.json"}) {
    RecordFollower follower(streams_, folder_ / name);
    for (const long process : {17, 18})
      if (!fs::exists(streams_ / std::to_string(process)))
        put(process, std::string(kBegin) + kLaunches);
    EXPECT_EQ(follower.finish().size(), 2u);
  }
  EXPECT_FALSE(fs::exists(folder_ / "one.json"));
  EXPECT_TRUE(fs::exists(folder_ / "17.json"));
  EXPECT_TRUE(fs::exists(folder_ / "18.json"));
}

TEST_F(RecordFollowerTest, TellsOfAStreamThatIsNone) {
  RecordFollower follower(streams_, "");
  put(17, "no json\n");
  EXPECT_THROW(follower.finish(), std::runtime_error);
}

}  // namespace
}  // namespace heddle::cli
