// What is recorded of the committed capsules' launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "gpu/runtime/capsule.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/analysis/written_rows.hpp"
#include "traces/viewer/page.hpp"
#include "traces/viewer/recorder.hpp"
#include "validation/replay.hpp"

namespace heddle {
namespace {

using simulator::operator""_lanes;

namespace fs = std::filesystem;

fs::path capsules(const std::string& name) {
  return fs::path(HEDDLE_SOURCE_DIR) / "validation/capsules" / name;
}

struct RecordedRun {
  explicit RecordedRun(const fs::path& file, std::uint64_t max_steps = 1'000'000)
      : capsule(runtime::load_capsule(file)),
        launch(capsule, file.string()),
        recorder({.max_steps = max_steps}) {
    simulator::LaunchOptions options;
    options.observer = &recorder;
    outcome = launch.run(options);
    record = simulator::make_launch_record(launch.request(), outcome, launch.device().model(),
                                           {.index = 0, .per_instruction = true});
  }
  runtime::Capsule capsule;
  runtime::CapsuleLaunch launch;
  traces::Recorder recorder;
  simulator::LaunchOutcome outcome;
  simulator::LaunchRecord record;
};

std::vector<fs::path> some_launches() {
  std::vector<fs::path> files;
  for (const char* name : {"simple_divergence.sm_90.G", "calls.sm_90.G", "block_40x2.sm_90.O3",
                           "print_stride.sm_90.O3", "sum_matrix_2d_ragged.sm_90.O3"})
    for (const fs::path& file : validation::find_capsules(capsules(name))) files.push_back(file);
  return files;
}

TEST(Recording, AccountsForEveryLaneSlotOnce) {
  for (const fs::path& file : some_launches()) {
    const RecordedRun run(file);
    const traces::Divergence& divergence = run.recorder.divergence();
    std::uint64_t executed = 0, threads = 0, on = 0, path_steps = 0;
    for (const auto& [pc, counts] : run.outcome.counts) {
      executed += counts.executed;
      threads += counts.threads;
      on += counts.threads_on;
    }
    for (const traces::Path& path : divergence.paths()) path_steps += path.steps;
    EXPECT_EQ(divergence.steps(), executed) << file;
    EXPECT_EQ(run.recorder.recorded(), executed) << file;
    EXPECT_EQ(path_steps, executed) << file;
    EXPECT_EQ(divergence.slots().total(), 32 * executed) << file;
    EXPECT_EQ(divergence.slots().used, on) << file;
    EXPECT_EQ(divergence.slots().predicated, threads - on) << file;
  }
}

TEST(Recording, FindsWhereMathKernel1SplitsAndMeets) {
  const RecordedRun run(capsules("simple_divergence.sm_90.G") / "0001-_Z11mathKernel1Pf.capsule");
  const traces::Divergence& divergence = run.recorder.divergence();
  ASSERT_EQ(divergence.sites().size(), 1u);
  const traces::SplitSite& site = divergence.sites().begin()->second;
  EXPECT_EQ(site.splits, 2u);  // once in each of the block's two warps
  EXPECT_EQ(site.again, 0u);
  ASSERT_EQ(site.patterns.size(), 1u);
  const auto& [lanes, times] = *site.patterns.begin();
  EXPECT_EQ(lanes.first, simulator::kFullMask);
  EXPECT_EQ(lanes.second, 0xaaaaaaaa_lanes);  // threads with odd numbers go to the else part
  EXPECT_EQ(site.met.size(), 1u);
  EXPECT_EQ(site.met.begin()->second, 2u);
  EXPECT_EQ(divergence.paths().size(), 3u);
}

TEST(Recording, KeepsNoMoreStepsThanAskedButCountsAll) {
  const fs::path file = capsules("calls.sm_90.G") / "0001-_Z15recursive_callsP6Result.capsule";
  const RecordedRun all(file), some(file, 100);
  EXPECT_EQ(some.recorder.recorded(), 100u);
  EXPECT_EQ(some.recorder.divergence().steps(), all.recorder.divergence().steps());
  EXPECT_EQ(some.recorder.divergence().slots().split, all.recorder.divergence().slots().split);
  std::uint64_t kept = 0;
  for (const traces::WarpTrace& warp : some.recorder.warps()) kept += warp.steps;
  EXPECT_EQ(kept, 100u);
}

// Compares all rows of a warp before and after each instruction.
class RowWitness : public simulator::Observer {
 public:
  void issuing(const simulator::CoreView&, const simulator::WarpView& warp,
               const simulator::Issue&) override {
    before_.clear();
    for (std::uint32_t row = 0; row < simulator::kRowsPerWarp; ++row)
      before_.insert(before_.end(), warp.row(row).begin(), warp.row(row).end());
  }
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override {
    std::set<std::uint32_t> expected;
    traces::for_written_rows(core.instruction(issue.pc),
                             [&](std::uint32_t row) { expected.insert(row); });
    for (std::uint32_t row = 0; row < simulator::kRowsPerWarp; ++row)
      if (!std::ranges::equal(warp.row(row), std::span(before_).subspan(row * 32, 32))) {
        ++changed;
        if (!expected.contains(row)) ++missed;
      }
  }
  std::uint64_t changed = 0, missed = 0;

 private:
  std::vector<std::uint32_t> before_;
};

TEST(Recording, LooksAtEveryRowThatInstructionsWrite) {
  for (const fs::path& file : some_launches()) {
    const runtime::Capsule capsule = runtime::load_capsule(file);
    runtime::CapsuleLaunch launch(capsule, file.string());
    RowWitness witness;
    simulator::LaunchOptions options;
    options.observer = &witness;
    launch.run(options);
    EXPECT_GT(witness.changed, 0u) << file;
    EXPECT_EQ(witness.missed, 0u) << file;
  }
}

TEST(Page, KeepsNamesAndSourceFromEndingItsElements) {
  if (traces::page_template().empty()) GTEST_SKIP() << "this build has no viewer";
  RecordedRun run(capsules("simple_divergence.sm_90.G") / "0001-_Z11mathKernel1Pf.capsule");
  const std::string hostile = "</script><script>document.title='taken'</script><!--";
  run.record.kernel = hostile;
  traces::Page page({.source = [&](const std::string&) { return hostile; }});
  page.add(run.launch.request(), run.record, run.outcome, run.recorder, {});
  const std::string html = page.html(
      {.device = hostile, .hardware_device = hostile, .baseline = hostile, .program = {hostile}});
  EXPECT_EQ(html.find(hostile), std::string::npos);
  EXPECT_EQ(html.find("taken'</script>"), std::string::npos);
  EXPECT_NE(html.find("\\u003c/script>\\u003cscript>document.title='taken'"), std::string::npos);
}

TEST(Page, LeavesRegistersOutRatherThanGrowLarger) {
  if (traces::page_template().empty()) GTEST_SKIP() << "this build has no viewer";
  const RecordedRun run(capsules("matmul.sm_90.O3") / "0000-_Z6matmulIfEvPKT_S2_PS0_iii.capsule");
  constexpr std::size_t kMost = 1'500'000;
  traces::Page page({.most_bytes = kMost, .source = {}});
  page.add(run.launch.request(), run.record, run.outcome, run.recorder, {});
  const std::string html = page.html({});
  EXPECT_LE(html.size(), kMost);
  EXPECT_GT(html.size(), kMost / 2);
}

}  // namespace
}  // namespace heddle
