// heddle explain: metrics, stall reasons, opcodes, errors, and every word that the output names
// something by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/tests/shell.hpp"

namespace heddle::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

using Words = std::set<std::string>;

const std::string kCapsules = HEDDLE_SOURCE_DIR "/validation/capsules/";

std::string printed(const std::string& words) {
  const Outcome outcome = run_heddle(words, Kept::output);
  EXPECT_EQ(outcome.status, 0) << words;
  return outcome.text;
}

Outcome heddle(const std::string& words, int descriptor = 2) {
  return run_heddle(words, descriptor == 1 ? Kept::output : Kept::errors);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A table's cells: two spaces or more lie between them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = line.find_first_not_of(' '); at != line.npos;) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
  return cells;
}

// The names over the columns of the table that has a row for each launch; they take two lines.
Words columns_of(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  Words words;
  for (const std::string& lower : cells_of(lines.at(1))) {
    const std::size_t end = lines[1].find(lower) + lower.size();
    const std::string above = lines[0].substr(0, end);
    const std::size_t begin = above.rfind(' ') + 1;
    const std::string upper = above.substr(begin);
    words.insert(upper.empty() || upper.ends_with('_') ? upper + lower : upper + " " + lower);
  }
  return words;
}

// Of --verbose: sections, names and units of metrics, and stall reasons.
Words names_of(const std::string& text) {
  Words words;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> cells = cells_of(line);
    if (line.starts_with("    ")) {
      for (std::size_t i = 0; i < cells.size(); ++i)
        if (i != 1 && cells[i] != "%") words.insert(cells[i]);
    } else if (line.find("warps' cycles:") != line.npos) {
      words.insert("warps' cycles");
      std::istringstream reasons(line.substr(line.find(':') + 1));
      for (std::string share, percent, reason; reasons >> share >> percent >> reason;)
        words.insert(reason.substr(0, reason.find(',')));
    } else if (line.starts_with("  ") && cells.size() == 1 &&
               cells[0].find_first_of("0123456789(,:") == line.npos) {
      words.insert(cells[0]);
    }
  }
  return words;
}

// Of --source --per-pc: the columns' names and the opcodes.
Words listing_of(const std::string& text) {
  Words words;
  std::size_t at = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("  line ") || line.starts_with("  pc ")) {
      for (const std::string& cell : cells_of(line)) words.insert(cell);
      at = line.starts_with("  pc ") ? line.find("instruction") : 0;
    } else if (at != 0 && line.size() > at) {
      std::istringstream instruction(line.substr(at));
      std::string opcode;
      instruction >> opcode;
      if (opcode.starts_with('@')) instruction >> opcode;
      words.insert(opcode);
    }
  }
  return words;
}

// What `heddle explain` prints; nothing for a name that it does not know. A process for each of a
// hundred words would take a minute under the sanitizers.
std::string explained(const std::string& word) {
  Arguments arguments;
  arguments.words = {word};
  testing::internal::CaptureStdout();
  try {
    run_explain(arguments);
  } catch (const Usage&) {
  }
  return testing::internal::GetCapturedStdout();
}

void expect_explained(const Words& words) {
  for (const std::string& word : words) EXPECT_NE(explained(word), "") << word;
}

TEST(Explain, KnowsTheTablesColumns) {
  const Words words =
      columns_of(printed("run -k mathKernel1 " + kCapsules + "simple_divergence.sm_90.G"));
  EXPECT_THAT(words, IsSupersetOf({"inst_executed", "branch_efficiency", "bank conflicts"}));
  expect_explained(words);
}

TEST(Explain, KnowsEverySectionMetricUnitAndStallReasonOfVerboseRuns) {
  const Words words = names_of(printed("run --verbose --no-progress --timing on -k mathKernel1 " +
                                       kCapsules + "simple_divergence.sm_90.G"));
  EXPECT_THAT(words, IsSupersetOf({"Branches", "Global memory", "Time", "sector", "byte/s",
                                   "warps' cycles", "smsp__sass_inst_executed.sum"}));
  expect_explained(words);
}

TEST(Explain, KnowsTheColumnsAndOpcodesOfListings) {
  const Words words = listing_of(
      printed("run --source --per-pc -k mathKernel1 " + kCapsules + "simple_divergence.sm_90.G"));
  EXPECT_THAT(words,
              IsSupersetOf({"warp inst", "pred. on", "instruction", "BSYNC", "ISETP.NE.AND"}));
  expect_explained(words);
}

TEST(Explain, KnowsTheColumnsOfOccupancy) {
  const std::string text = printed("occupancy --gpu h200 --block 256 --registers 40");
  const std::vector<std::string> cells = cells_of(lines_of(text).at(0));
  const Words words(cells.begin(), cells.end());
  EXPECT_THAT(words, IsSupersetOf({"blocks/SM", "limited by"}));
  expect_explained(words);
}

// A line's cells, as of a table's head.
Words header_of(const std::string& text, std::size_t line) {
  const std::vector<std::string> cells = cells_of(lines_of(text).at(line));
  return {cells.begin(), cells.end()};
}

// What each piece of advice is headed by: "  * file.cu:18 (06a0) loads misaligned: 13.3 % of …".
Words advice_headings(const std::string& text) {
  static const std::regex heading(R"(^  \* (?:.*\([^()]*\) )?([^:(]+): ~?[0-9.]+ % of (.*)$)");
  Words words;
  for (const std::string& line : lines_of(text))
    if (std::smatch found; std::regex_match(line, found, heading)) words.insert(found[1]);
  return words;
}

TEST(Explain, KnowsTheHeadingsOfAdvice) {
  Words words;
  for (const char* capsule : {"reduce_integer_128.sm_90.G", "random_branches.sm_90.O3",
                              "nested_loops.sm_90.O3", "sum_matrix_2d_ragged.sm_90.O3"})
    words.merge(advice_headings(printed("run --no-progress --advice " + kCapsules + capsule)));
  words.merge(advice_headings(
      printed("run --no-progress --advice --timing on " + kCapsules + "vector_add.sm_90.O3")));
  EXPECT_THAT(words, IsSupersetOf({"diverges", "loads misaligned", "waits"}));
  expect_explained(words);
}

TEST(Explain, KnowsTheColumnsOfDifferences) {
  const std::string text = run_heddle("diff " + kCapsules + "simple_divergence.sm_90.G " +
                                          kCapsules + "simple_divergence.sm_90.O3",
                                      Kept::output)
                               .text;
  Words words;
  for (const std::string& line : lines_of(text))
    if (line.starts_with("  metric ") || line.ends_with("what it means"))
      words.merge(header_of(line, 0));
  EXPECT_THAT(words, IsSupersetOf({"B - A", "lanes %", "efficiency %", "what it means"}));
  words.insert({"points", "only in A", "→"});
  expect_explained(words);
}

TEST(Explain, KnowsTheColumnsOfTheOtherTables) {
  Words words = header_of(printed("roofline " + kCapsules + "vector_add.sm_90.O3"), 2);
  EXPECT_THAT(words, IsSupersetOf({"~nearest roof", "~DRAM/sector"}));
  words.merge(header_of(printed("validate --capsules simple_divergence"), 0));
  words.merge(header_of(
      printed("run --reconvergence all -k mathKernel1 " + kCapsules + "simple_divergence.sm_90.G"),
      1));
  const std::string record =
      HEDDLE_SOURCE_DIR "/validation/records/h200/simple_divergence.sm_90.G.json.zst";
  words.merge(header_of(printed("compare " + record + " " + record), 0));
  EXPECT_THAT(words, IsSupersetOf({"entry", "order-dependent", "end", "checked"}));
  words.insert({"equal", "different", "reordered", "not comparable", "completed", "same memory"});
  expect_explained(words);
}

TEST(Explain, KnowsWordsInOtherSpellings) {
  const auto meaning = [](const std::string& name) {
    const std::string text = explained(name);
    return text.substr(text.find('\n'));
  };
  EXPECT_EQ(meaning("Blocks of 48 threads"), meaning("blocks of 80 threads"));
  EXPECT_EQ(meaning("loads with a stride of 32 elements of 4 bytes"), meaning("strided"));
  EXPECT_EQ(meaning("l2"), meaning("L2"));
  EXPECT_NE(meaning("L1"), meaning("L2"));
  EXPECT_NE(meaning("pc"), meaning("PC"));
}

TEST(Explain, KnowsMetricsStallReasonsAndErrors) {
  EXPECT_THAT(explained("branch_efficiency"), HasSubstr("unit: %"));
  EXPECT_THAT(explained("long_scoreboard"), HasSubstr("stalled_long_scoreboard_per"));
  EXPECT_EQ(explained("stalled_wait"), explained("wait"));
  EXPECT_THAT(
      heddle("explain cudaErrorIllegalAddress", 1).text,
      HasSubstr("(700)\n  an illegal memory access was encountered\n  the context is lost"));
  EXPECT_EQ(heddle("explain cudaErrorIlegalAddress").status, 2);
  EXPECT_THAT(heddle("explain cudaErrorIlegalAddress").text,
              HasSubstr("did you mean cudaErrorIllegalAddress?"));
  EXPECT_THAT(explained("BSYNC"), HasSubstr("here they reconverge"));
  EXPECT_THAT(explained("LDG.E.64"), HasSubstr("loads from global memory"));
  EXPECT_THAT(explained("FSEL"), HasSubstr("a branch the compiler removed"));
  for (const char* word :
       {"determined", "order-dependent", "~", "…", "occupancy", "waves", "stopped", "wavefront",
        "advice", "IMAD", "NOP", "ATOM", "roofline", "roof", "bank conflicts", "last wave",
        "strided", "sub_cores", "scoreboard"})
    EXPECT_NE(explained(word), "") << word;
  EXPECT_THAT(explained("nvlink_receive_throughput"), HasSubstr("is not supported"));
  EXPECT_THAT(heddle("explain long_scorebord").text, HasSubstr("did you mean long_scoreboard?"));
}

}  // namespace
}  // namespace heddle::cli
