#include "traces/formats/text_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch_folder.hpp"
#include "traces/tests/machine_kernels.hpp"

namespace heddle::traces {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TextTraceTest : public testing::Test {
 protected:
  // The lines of instructions of one launch.
  std::vector<std::string> trace(const simulator::LaunchRequest& request,
                                 TraceRequest options = {}) {
    options["trace"] = "text=" + path_.string();
    {
      const auto trace = make_trace(trace_options(options));
      simulator::LaunchOptions launch;
      launch.observer = trace->begin_launch(0, request, machine_.device.model());
      outcome_ = machine_.device.launch(request, launch);
      if (launch.observer != nullptr) trace->end_launch(outcome_);
    }
    std::ifstream file(path_);
    std::vector<std::string> lines;
    head_.clear();
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#"))
        head_ += line + "\n";
      else if (line.find_first_not_of(' ') != std::string::npos && line[0] == ' ' &&
               line.find("step") == std::string::npos)
        lines.push_back(line);
    }
    return lines;
  }
  simulator::LaunchRequest two_sides() {
    return machine_.request("barrier_on_both_sides", {1, 1, 1}, {64, 1, 1}, machine_.zeros(256));
  }

  // One lane after the other takes a lock.
  simulator::LaunchRequest a_lock() {
    return machine_.request("spin_lock", {1, 1, 1}, {32, 1, 1}, machine_.zeros(4),
                            machine_.zeros(4));
  }

  MachineKernels machine_;
  simulator::LaunchOutcome outcome_;
  std::string head_;
  const tests::ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "trace.txt";
};

TEST_F(TextTraceTest, HasALineForEveryInstruction) {
  const auto lines = trace(two_sides());
  const std::uint64_t executed = outcome_.counts.executed();
  EXPECT_EQ(executed, 38u);  // 19 each
  EXPECT_THAT(lines, SizeIs(executed));
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(std::stoull(lines[i]), i) << lines[i];
}

TEST_F(TextTraceTest, TellsWhatItsSignsMean) {
  trace(two_sides());
  for (const char* sign : {"executes it", "predicate is off", "another group",
                           "convergence barrier", "block barrier", "WARPSYNC", "has ended"})
    EXPECT_THAT(head_, HasSubstr(sign));
}

TEST_F(TextTraceTest, ShowsASplitWhoWaitsAndWhereTheyMeet) {
  const auto lines = trace(a_lock());
  EXPECT_THAT(lines,
              Contains(ContainsRegex("  -#{31}  @P0 BRA .* diverges: 1-31 -> 0140, 0 -> 00b0")));
  EXPECT_THAT(lines, Contains(ContainsRegex("  #\\.{31}  BSYNC B0 .* 0 waits at B0 for 1-31")));
  EXPECT_THAT(lines, Contains(ContainsRegex("  0#{31}  BSYNC B0 .* reconverges: all -> 0150")));
  EXPECT_THAT(lines, Contains(ContainsRegex("  xx#\\.{29}  EXIT .* ends 2$")));
}

TEST_F(TextTraceTest, ShowsAWarpThatWaitsForTheBlock) {
  EXPECT_THAT(trace(two_sides(), {{"trace-warp", "0"}}),
              Contains(ContainsRegex("  -{16}#{16}  @P0 BAR.* waits at block barrier 0")));
}

TEST_F(TextTraceTest, ShowsWhatChanges) {
  const auto lines = trace(two_sides(), {{"trace-warp", "1"}});
  EXPECT_THAT(lines, Contains(ContainsRegex("S2R R[0-9]+, SR_TID.X .*=0x20\\+0x1\\*lane")));
  EXPECT_THAT(lines, Contains(ContainsRegex("STS .*shared\\[.*\\]=0x20\\+0x1\\*lane")));
  EXPECT_THAT(lines, Contains(ContainsRegex("LDS .*from shared\\[")));
  EXPECT_THAT(lines, Contains(ContainsRegex("ISETP.* P[0-6]=(all|none)")));
}

TEST_F(TextTraceTest, ShowsLanesThatEndedOrNeverWere) {
  const auto request =
      machine_.request("exit_before_barrier", {1, 1, 1}, {40, 1, 1}, machine_.zeros(256));
  EXPECT_THAT(trace(request, {{"trace-warp", "0"}}),
              Contains(ContainsRegex("x##x##x##x##x##x##x##x##x##x##x")));
  // Eight threads of the second warp; lane 8 to 31 are blank.
  EXPECT_THAT(trace(request, {{"trace-warp", "1"}}), Each(ContainsRegex("  [^ ]{8} {24}  ")));
}

TEST_F(TextTraceTest, KeepsToWhatIsChosen) {
  const auto request = two_sides();
  const std::size_t all = trace(request).size();
  const std::size_t first = trace(request, {{"trace-warp", "0"}}).size();
  const std::size_t second = trace(request, {{"trace-warp", "1"}}).size();
  EXPECT_EQ(first + second, all);
  EXPECT_THAT(trace(request, {{"trace-block", "1-9"}}), IsEmpty());
  EXPECT_THAT(trace(request, {{"trace-kernel", "spin_lock"}}), IsEmpty());
  EXPECT_THAT(trace(request, {{"trace-kernel", "regex:both"}}), SizeIs(all));
  EXPECT_THAT(trace(request, {{"trace-count", "5"}}), SizeIs(5));
  EXPECT_THAT(trace(request, {{"trace-pc", "10-20"}}), Each(ContainsRegex("  00[12]0  ")));
  EXPECT_THAT(trace(request, {{"trace-pc", "10-20"}}), SizeIs(4));
}

TEST_F(TextTraceTest, CanBeginAtADivergenceOrKeepToChangesOfTheMask) {
  const auto request = a_lock();
  const auto later = trace(request, {{"trace-from", "3"}});
  ASSERT_FALSE(later.empty());
  EXPECT_THAT(later.front(), HasSubstr("diverges: 2-31"));
  EXPECT_THAT(trace(request, {{"trace-from", "1000"}}), IsEmpty());
  const auto bar = [](const std::string& line) { return line.substr(29, 32); };
  const auto changes = trace(request, {{"trace-changes", ""}});
  ASSERT_GT(changes.size(), 2u);
  EXPECT_LT(changes.size(), trace(request).size());
  for (std::size_t i = 1; i < changes.size(); ++i)
    EXPECT_NE(bar(changes[i]), bar(changes[i - 1])) << changes[i];
}

TEST_F(TextTraceTest, SaysWhyALaunchStopped) {
  const auto request = machine_.request("spin_lock", {1, 1, 1}, {32, 1, 1}, 0ull, 0ull);
  trace(request);
  ASSERT_TRUE(outcome_.fault);
  std::ifstream file(path_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("stopped: "));
}

TEST(TraceOptionsTest, RefuseWhatTheyCannotRead) {
  const auto error_of = [](const TraceRequest& request) -> std::string {
    try {
      trace_options(request);
    } catch (const std::invalid_argument& bad) {
      return bad.what();
    }
    return "accepted";
  };
  EXPECT_THAT(error_of({{"trace", "texd"}}), HasSubstr("did you mean text?"));
  for (const auto& [key, value] : TraceRequest{{"trace-warp", "x"},
                                               {"trace-block", "3-1"},
                                               {"trace-pc", "1g"},
                                               {"trace-line", "a.cu:"},
                                               {"trace-kernel", "regex:("},
                                               {"trace-from", ""}})
    EXPECT_THAT(error_of({{key, value}}), testing::StartsWith("--" + key + ": "));
  EXPECT_THROW(decode_trace_request("[1"), std::invalid_argument);
}

TEST(TraceOptionsTest, SurviveTheWayToAnotherProcess) {
  const TraceRequest request{{"trace", "text=/tmp/a b\n.txt"}, {"trace-changes", ""}};
  EXPECT_EQ(decode_trace_request(encode(request)), request);
}

}  // namespace
}  // namespace heddle::traces
