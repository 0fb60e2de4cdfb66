// Texts in a record that want more than to be read: none reaches a terminal as it is.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "cli/tests/shell.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/base/json.hpp"
#include "simulator/record/record.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using simulator::visible;

// ESC, BEL, CR, DEL; CSI of C1; an override, an isolate, a mark of direction; what has no width.
constexpr std::string_view kRaw[] = {"\x1b",         "\a",
                                     "\r",           "\x7f",
                                     "\xc2\x9b",     "\xe2\x80\xae",
                                     "\xe2\x81\xa6", "\xd8\x9c",
                                     "\xe2\x80\x8b", "\xef\xbb\xbf",
                                     "\xc2\xad",     "\xe2\x80\xa8",
                                     "\xef\xb8\x8f", "\xf3\xa0\x81\x81"};

std::string hostile() {
  std::string text = "<";
  for (const std::string_view each : kRaw) text += each;
  return text + "[31m>";
}

std::string raw_in(std::string_view text) {
  for (const std::string_view each : kRaw)
    if (const std::size_t at = text.find(each); at != text.npos) {
      const std::size_t begin = at < 40 ? 0 : at - 40;
      return fmt::format("{} behind \"{}\"", visible(each),
                         visible(text.substr(begin, at - begin)));
    }
  return "none";
}

// Every field that a record can have.
simulator::Record full_record() {
  simulator::Record record;
  record.source = "model";
  record.device = "NVIDIA H200";
  record.arch = "sm_90";
  record.toolchain = "t";
  record.driver = "d";
  record.date = "2026-11-23";
  record.program = {"./a"};
  simulator::LaunchRecord launch;
  launch.kernel = "k";
  launch.block = {64, 1, 1};
  launch.registers = 10;
  launch.code_sha256 = "ab";
  launch.launch_class = "order-dependent";
  launch.class_reasons = {"r"};
  launch.metrics = {{"smsp__sass_inst_executed.sum", 240},
                    {"sm__cycles_active.max", 100},
                    {"smsp__average_warps_issue_stalled_x_per_issue_active.ratio", 3},
                    {"own.sum", 3}};
  launch.selects = {"FSEL at a.cu:12"};
  launch.predicated = {"STG at a.cu:13"};
  launch.instructions = {{"k", 16, "a.cu:12", "f", "EXIT", {{"smsp__sass_inst_executed.sum", 2}}}};
  launch.memory = {{0, "", 256, "cd"}};
  launch.globals = {{0, "counter", 4, "ef"}};
  launch.varies = {"v"};
  launch.unmodelled = {"u"};
  launch.findings = {{}};
  simulator::checks::Finding& finding = launch.findings[0];
  finding.check = "memory";
  finding.kind = "kind";
  finding.message = "m";
  finding.times = 2;
  finding.details = "details";
  finding.sides = {{}};
  for (std::string* text : {&finding.sides[0].what, &finding.sides[0].function,
                            &finding.sides[0].line, &finding.sides[0].text})
    *text = "s";
  launch.fault = "a trap";
  launch.fault_kind = "trap";
  record.launches = {launch};
  return record;
}

// Visits each text, and each name of a metric, with what it is called.
void for_each_text(Json& json, const std::string& where,
                   const std::function<void(Json&, const std::string&)>& visit) {
  if (json.is_string()) return visit(json, where);
  if (json.is_array())
    for (Json& item : json) for_each_text(item, where, visit);
  if (json.is_object())
    for (auto& [key, item] : json.items()) for_each_text(item, where + "." + key, visit);
}

void rename_metrics(Json& metrics, const std::string& to) {
  Json renamed = Json::object();
  for (const auto& [name, value] : metrics.items()) {
    std::string other = name;
    if (name == "own.sum") other += to;
    if (const std::size_t at = name.find("_x_"); at != name.npos) other.insert(at + 1, to);
    renamed[other] = value;
  }
  metrics = renamed;
}

class HostileText : public testing::Test {
 protected:
  fs::path put(const char* name, const Json& json) const {
    std::ofstream(folder_ / name) << json.dump();
    return folder_ / name;
  }
  // What the commands that read records print of it, and beside a plain one.
  std::string said_of(const Json& json) const {
    const std::string file = put("hostile.json", json).string();
    Json other = to_json(full_record());
    other["launches"][0]["metrics"]["smsp__sass_inst_executed.sum"] = 241;
    other["launches"][0]["memory"][0]["sha256"] = "other";
    const std::string plain = put("plain.json", other).string();
    std::string text;
    for (const std::string& words :
         {"show --source --per-pc " + file, "show --format nvprof " + file, "show --csv - " + file,
          "show -k none " + file, "compare " + file + " " + plain, "compare " + plain + " " + file,
          "compare " + file + " " + file})
      text += run_heddle(words, Kept::both).text;
    return text;
  }
  const tests::ScratchFolder folder_;
};

TEST_F(HostileText, IsMadeVisible) {
  EXPECT_EQ(visible("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(visible("\xc2\x9b"), "\\u{9b}");
  EXPECT_EQ(visible("\xe2\x80\xae"), "\\u{202e}");
  EXPECT_EQ(visible("\x9b\xff"), "\\x9b\\xff");           // not UTF-8
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");           // overlong
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(visible("\xe2\x80"), "\\xe2\\x80");           // cut short
  EXPECT_EQ(visible("größe… 10²"), "größe… 10²");
  EXPECT_EQ(simulator::visible_lines("a\n\tb\r"), "a\n\tb\\x0d");
  EXPECT_EQ(raw_in(visible(hostile())), "none");
}

// One text at a time, as a record that is refused for one shows no other.
TEST_F(HostileText, OfNoFieldOfARecordReachesATerminal) {
  Json json = to_json(full_record());
  std::vector<std::string> fields;
  for_each_text(json, "", [&](Json&, const std::string& where) { fields.push_back(where); });
  ASSERT_GT(fields.size(), 25u);
  // Those by which a record is accepted and compared at all; then all others together.
  const auto is_key = [](const std::string& field) {
    return field == ".schema" || field == ".source" || field == ".device" ||
           field == ".launches.kernel" || field == ".launches.class" ||
           field == ".launches.code_sha256";
  };
  std::vector<std::string> rounds = {"the others"};
  for (const std::string& field : fields)
    if (is_key(field)) rounds.push_back(field);
  for (const std::string& round : rounds) {
    Json changed = json;
    for_each_text(changed, "", [&](Json& text, const std::string& where) {
      if (round == "the others" ? !is_key(where) : where == round)
        text = text.get<std::string>() + hostile();
    });
    if (round == "the others")
      for (Json& launch : changed["launches"]) rename_metrics(launch["metrics"], hostile());
    const std::string said = said_of(changed);
    EXPECT_EQ(raw_in(said), "none") << round;
    if (round == "the others" || round == ".device" || round == ".schema") {
      EXPECT_NE(said.find("\\x1b"), said.npos) << round << " is not shown at all";
    }
  }
}

TEST_F(HostileText, OfAFilesNameReachesNoTerminal) {
  const fs::path file = folder_ / ("a\x1b[31m.json");
  for (const char* contents : {"", "{\"\x1b\": ", "[]"}) {
    std::ofstream(file) << contents;
    for (const char* command : {"show", "disasm", "run", "step --html x.html", "simplify"}) {
      const Outcome outcome =
          run_heddle(fmt::format("{} '{}'", command, file.string()), Kept::both);
      EXPECT_EQ(raw_in(outcome.text), "none") << command;
      EXPECT_NE(outcome.status, 0) << command;
    }
  }
}

}  // namespace
}  // namespace heddle::cli
