// What a build server sees of heddle run: exit statuses, SARIF, JUnit, and how much is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/problems.hpp"
#include "cli/tests/shell.hpp"
#include "simulator/base/json.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

const std::string kCapsules = HEDDLE_SOURCE_DIR "/validation/capsules/simple_divergence.sm_90.G";
const std::string kLaunching = HEDDLE_LAUNCHING_PROGRAM;

class Ci : public ::testing::Test {
 protected:
  std::string file(const char* name) const { return (folder_ / name).string(); }
  // A sketch with a race in shared memory.
  std::string race() const {
    std::ofstream(folder_ / "race.warp") << "__global__ void turn(int *c) {\n"
                                            "  __shared__ int tile[64];\n"
                                            "  tile[threadIdx.x] = c[threadIdx.x];\n"
                                            "  c[threadIdx.x] = tile[63 - threadIdx.x];\n"
                                            "}\n"
                                            "turn<<<1, 64>>>(counting(64));\n";
    return file("race.warp");
  }
  std::string text_of(const char* name) const {
    std::ifstream stream(folder_ / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  const tests::ScratchFolder folder_;
};

#ifndef HEDDLE_SANITIZED
TEST_F(Ci, AFaultFailsAProgramThatIgnoresIt) {
  const Outcome outcome = run_heddle("run -- " + kLaunching + " fault", Kept::errors);
  EXPECT_EQ(outcome.status, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("a launch faulted, so the run fails; with --ignore-faults"));
  EXPECT_EQ(run_heddle("run --ignore-faults -- " + kLaunching + " fault", Kept::both).status, 0);
  EXPECT_EQ(run_heddle("run --error-exitcode 42 -- " + kLaunching + " fault", Kept::both).status,
            42);
  EXPECT_EQ(run_heddle("run -- " + kLaunching, Kept::both).status, 0);
}

TEST_F(Ci, TheProgramsOwnFailureKeepsItsStatus) {
  const Outcome outcome =
      run_heddle("run --error-exitcode 42 -- sh -c '" + kLaunching + " fault; exit 7'", Kept::both);
  EXPECT_EQ(outcome.status, 7) << outcome.text;
}

TEST_F(Ci, QuietPrintsWhatFailsTheRunAndNothingElse) {
  EXPECT_THAT(run_heddle("run --quiet -- true", Kept::errors).text, IsEmpty());
  EXPECT_THAT(run_heddle("run --quiet -- " + kLaunching, Kept::errors).text, IsEmpty());
  const std::string fault = run_heddle("run -q -- " + kLaunching + " fault", Kept::errors).text;
  EXPECT_THAT(fault, HasSubstr("stopped:"));
  EXPECT_THAT(fault, Not(HasSubstr("branch")));
}

TEST_F(Ci, AFaultIsToldInFullOnce) {
  const auto times = [](const std::string& text, std::string_view what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  for (const char* options : {"", "-q ", "--check memory ", "-q --check memory "}) {
    const std::string text =
        run_heddle("run " + std::string(options) + "-- " + kLaunching + " fault", Kept::errors)
            .text;
    EXPECT_EQ(times(text, ", thread ("), 1) << text;
    EXPECT_THAT(text, ContainsRegex("stopped: [^\n]* in kernel [^\n]*\n"));
  }
  EXPECT_THAT(run_heddle("run -q --check memory -- " + kLaunching + " fault", Kept::errors).text,
              HasSubstr("; the report of --check memory follows at the end\n"));
  EXPECT_EQ(times(run_heddle("run --verbose -- " + kLaunching + " fault", Kept::errors).text,
                  ", thread ("),
            2);
}

TEST_F(Ci, SixLaunchesOfOneKernelAreOneRow) {
  const std::string text = run_heddle("run -- " + kLaunching, Kept::errors).text;
  EXPECT_THAT(text, HasSubstr("6 launches from 0"));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8) << text;
}
#endif

TEST_F(Ci, AScreenOfAHundredColumnsHoldsAllKernels) {
  const std::string plain = run_heddle("run " + kCapsules, Kept::output).text;
  EXPECT_LE(std::count(plain.begin(), plain.end(), '\n'), 24) << plain;
  const std::string text = run_heddle("run --timing on " + kCapsules, Kept::output).text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    });
    EXPECT_LE(columns, 100) << line;
  }
  EXPECT_THAT(text, HasSubstr("mathKernel1(float*)  launch 1"));
  EXPECT_THAT(run_heddle("run --verbose " + kCapsules, Kept::output).text,
              HasSubstr("theoretical occupancy"));
}

TEST_F(Ci, AConditionThatHoldsFailsTheRun) {
  const std::string words = " -k mathKernel1 " + kCapsules;
  const Outcome fails = run_heddle("run --fail-on 'branch_efficiency < 90'" + words, Kept::errors);
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.text,
              HasSubstr("heddle: mathKernel1(float*), launch 1: branch_efficiency is 80 %: "
                        "--fail-on 'branch_efficiency < 90' holds"));
  EXPECT_EQ(run_heddle("run --fail-on 'branch_efficiency<80%'" + words, Kept::both).status, 0);
  EXPECT_EQ(run_heddle("run --fail-on 'divergent_branch == 2'" + words, Kept::both).status, 1);
  EXPECT_EQ(run_heddle("run --fail-on 'divergent_branch != 2'" + words, Kept::both).status, 0);
  // What only time decides is timed for it.
  EXPECT_EQ(run_heddle("run --fail-on 'ipc >= 0'" + words, Kept::both).status, 1);
}

TEST_F(Ci, ARelativeConditionComparesWithTheBaseline) {
  const std::string words = " -k mathKernel1 " + kCapsules, old = file("old.json");
  ASSERT_EQ(run_heddle("run -o " + old + words, Kept::both).status, 0);
  const std::string with = "run --baseline " + old + " --fail-on ";
  EXPECT_EQ(run_heddle(with + "'inst_executed > +5%'" + words, Kept::both).status, 0);
  // A record in which the kernel had a tenth of its instructions less.
  Json record = Json::parse(text_of("old.json"));
  Json& metrics = record["launches"][0]["metrics"];
  const double now = metrics["smsp__sass_inst_executed.sum"];
  metrics["smsp__sass_inst_executed.sum"] = now * 0.9;
  std::ofstream(folder_ / "old.json") << record.dump();
  const Outcome fails =
      run_heddle(with + "'branch_efficiency < 10, inst_executed>+5%'" + words, Kept::errors);
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.text, HasSubstr("in the baseline: --fail-on 'inst_executed>+5%' holds"));
  EXPECT_EQ(run_heddle(with + "'inst_executed > +12%'" + words, Kept::both).status, 0);
  EXPECT_EQ(run_heddle(with + "'inst_executed > +1'" + words, Kept::both).status, 1);
  EXPECT_EQ(run_heddle(with + "'inst_executed < -5%'" + words, Kept::both).status, 0);
}

TEST_F(Ci, ALaunchThatTheBaselineLacksIsSaid) {
  const std::string old = file("old.json");
  ASSERT_EQ(run_heddle("run -k mathKernel1 -o " + old + " " + kCapsules, Kept::both).status, 0);
  const Outcome outcome = run_heddle(
      "run --baseline " + old + " --fail-on 'inst_executed > +0%' " + kCapsules, Kept::errors);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("mathKernel2(float*): 1 launch is not in the baseline"));
  EXPECT_THAT(run_heddle("run --fail-on 'inst_executed > +5%' " + kCapsules, Kept::errors).text,
              HasSubstr("name the record of an earlier run with --baseline"));
  EXPECT_THAT(run_heddle("run --baseline " + old + " " + kCapsules, Kept::errors).text,
              HasSubstr("--baseline needs a relative condition"));
}

TEST_F(Ci, OnlyChosenLaunchesAreInTheRecord) {
  ASSERT_EQ(
      run_heddle("run -k mathKernel2 -o " + file("r.json") + " " + kCapsules, Kept::both).status,
      0);
  const Json record = Json::parse(text_of("r.json"));
  ASSERT_EQ(record["launches"].size(), 1u);
  EXPECT_EQ(record["launches"][0]["index"], 2);
}

// What the schema of SARIF 2.1.0 asks of the parts that we write.
void check_sarif(const Json& log) {
  EXPECT_EQ(log.at("version"), "2.1.0");
  EXPECT_THAT(log.at("$schema").get<std::string>(), HasSubstr("sarif-2.1.0"));
  for (const Json& run : log.at("runs")) {
    const Json& driver = run.at("tool").at("driver");
    EXPECT_FALSE(driver.at("name").get<std::string>().empty());
    for (const Json& rule : driver.at("rules"))
      EXPECT_TRUE(rule.at("shortDescription").at("text").is_string());
    for (const Json& result : run.at("results")) {
      EXPECT_EQ(result.at("level"), "error");
      EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
      EXPECT_EQ(driver.at("rules").at(result.at("ruleIndex").get<std::size_t>()).at("id"),
                result.at("ruleId"));
      for (const char* list : {"locations", "relatedLocations"})
        for (const Json& place : result.value(list, Json::array()))
          if (place.contains("physicalLocation")) {
            const Json& where = place["physicalLocation"];
            EXPECT_GE(where.at("region").at("startLine"), 1);
            EXPECT_THAT(where.at("artifactLocation").at("uri").get<std::string>(),
                        Not(ContainsRegex("[ <>\"%]$")));
          }
    }
  }
}

TEST_F(Ci, FindingsAreSarifResultsWithTheirLines) {
  EXPECT_EQ(run_heddle("run -q --check races --sarif " + file("r.sarif") + " " + race(), Kept::both)
                .status,
            1);
  const Json log = Json::parse(text_of("r.sarif"));
  check_sarif(log);
  const Json& results = log["runs"][0]["results"];
  ASSERT_GE(results.size(), 1u);
  EXPECT_THAT(results[0]["ruleId"].get<std::string>(), HasSubstr("races/"));
  const Json& where = results[0]["locations"][0]["physicalLocation"];
  EXPECT_THAT(where["artifactLocation"]["uri"].get<std::string>(), HasSubstr("race.warp"));
  EXPECT_EQ(where["region"]["startLine"], 4);
  EXPECT_EQ(results[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 3);
}

// Of an unrolled loop, say: the lines are what people look at.
TEST_F(Ci, FindingsThatOnlyInstructionsTellApartAreOneReport) {
  std::ofstream(folder_ / "lines.warp")
      << "__global__ void turn(int *c) {\n"
         "  __shared__ int tile[64];\n"
         "  tile[threadIdx.x] = c[threadIdx.x];\n"
         "  c[threadIdx.x] = tile[63 - threadIdx.x] + tile[(threadIdx.x + 40) % 64];\n"
         "}\n"
         "turn<<<1, 64>>>(counting(64));\n";
  const std::string words = "run --check races --sarif " + file("r.sarif") + " ";
  const std::string text = run_heddle(words + file("lines.warp"), Kept::output).text;
  EXPECT_THAT(text, ContainsRegex("and [1-9][0-9]* more of other instructions of the same source "
                                  "lines; --verbose prints each"));
  const auto reports = [](const std::string& from) {
    std::size_t count = 0;
    for (std::size_t at = from.find("check races:"); at != from.npos;
         at = from.find("check races:", at + 1))
      ++count;
    return count;
  };
  EXPECT_LT(reports(text),
            reports(run_heddle(words + "--verbose " + file("lines.warp"), Kept::output).text));
  EXPECT_EQ(Json::parse(text_of("r.sarif"))["runs"][0]["results"].size(), reports(text));
}

TEST_F(Ci, ARunWithoutProblemsHasNoResults) {
  ASSERT_EQ(
      run_heddle("run --sarif " + file("r.sarif") + " --junit " + file("r.xml") + " " + kCapsules,
                 Kept::both)
          .status,
      0);
  const Json log = Json::parse(text_of("r.sarif"));
  check_sarif(log);
  EXPECT_TRUE(log["runs"][0]["results"].empty());
  EXPECT_THAT(text_of("r.xml"), HasSubstr("failures=\"0\""));
}

// The order of elements and the attributes that Ant's and Jenkins' schemas ask for.
TEST_F(Ci, AJUnitReportHasATestCaseForEachLaunch) {
  run_heddle("run --fail-on 'divergent_branch > 0' --junit " + file("r.xml") + " " + kCapsules,
             Kept::both);
  boost::property_tree::ptree tree;
  std::istringstream stream(text_of("r.xml"));
  boost::property_tree::read_xml(stream, tree);
  const auto& suite = tree.get_child("testsuites.testsuite");
  for (const char* name :
       {"id", "package", "name", "timestamp", "hostname", "tests", "failures", "errors", "time"})
    EXPECT_TRUE(suite.get_optional<std::string>(std::string("<xmlattr>.") + name)) << name;
  std::string order;
  int failures = 0;
  for (const auto& [name, element] : suite) {
    order += name[0] == 's' ? name.substr(7, 1) : name.substr(0, 1);
    if (name != "testcase") continue;
    for (const char* each : {"classname", "name", "time"})
      EXPECT_TRUE(element.get_optional<std::string>(std::string("<xmlattr>.") + each)) << each;
    if (const auto failure = element.get_child_optional("failure")) {
      ++failures;
      EXPECT_EQ(failure->get<std::string>("<xmlattr>.type"), "fail-on/divergent_branch");
    }
  }
  EXPECT_EQ(order, "<ptttttoe");
  EXPECT_EQ(failures, suite.get<int>("<xmlattr>.failures"));
  EXPECT_EQ(failures, 2);
}

TEST(Sarif, NamesFilesAsTheRepositoryDoes) {
  const tests::ScratchFolder folder;
  std::filesystem::create_directories(folder / "src/my kernels");
  std::ofstream(folder / "src/my kernels/a.cu") << "";
  simulator::LaunchRecord launch;
  const Problem problem{&launch, "races/x", "m", "", {{"/elsewhere/a.cu", 3, "k", "", {}}}, 1};
  const Json log = Json::parse(sarif({problem}, folder / "."));
  EXPECT_EQ(
      log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "src/my%20kernels/a.cu");
}

TEST(JUnit, EscapesWhatXmlCannotHold) {
  simulator::LaunchRecord launch;
  launch.kernel = "k<1>";
  launch.fault = "a \x1b[31m trap \"&\" ]]>";
  launch.fault_kind = "trap";
  const simulator::LaunchRecord* launches[] = {&launch};
  const std::string text = junit(launches, problems(launches, {}, true));
  EXPECT_THAT(text, HasSubstr("classname=\"k&lt;1&gt;\""));
  EXPECT_THAT(text, HasSubstr("message=\"a \\x1b[31m trap &quot;&amp;&quot; ]]&gt;\""));
  EXPECT_THAT(text, HasSubstr("type=\"fault/trap\""));
}

TEST(Problems, TakeTheLineOfAFaultFromItsReport) {
  simulator::LaunchRecord launch;
  launch.kernel = "k";
  launch.fault = "an illegal address in kernel k\n  block (0,0,0) warp 0\n  at k+0x40 a b.cu:12: X";
  const simulator::LaunchRecord* launches[] = {&launch};
  const auto all = problems(launches, {}, true);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].places[0].file, "a b.cu");
  EXPECT_EQ(all[0].places[0].line, 12u);
  EXPECT_TRUE(all[0].places[0].calls.empty());
}

TEST(Problems, TellWhereInlinedCodeIsCalled) {
  simulator::LaunchRecord launch;
  launch.kernel = "k";
  launch.fault =
      "a trap in kernel k\n  block (0,0,0)\n  at k+0x40 lib.h:12: X\n    called at b.cu:3";
  simulator::checks::Finding finding{"races", "x", "m", 0, 1, {}, {}};
  simulator::checks::Side side;
  side.what = "reads";
  side.line = "lib.h:7";
  side.calls = {"other.h:8", "b.cu:9"};
  finding.sides = {side};
  launch.findings = {finding};
  const simulator::LaunchRecord* launches[] = {&launch};
  const auto all = problems(launches, {}, true);
  const std::string report = junit(launches, all);
  for (const char* call : {"b.cu:3", "other.h:8", "b.cu:9"})
    EXPECT_THAT(report, HasSubstr(std::string("called at ") + call));
  std::vector<std::string> lines;
  const Json log = Json::parse(sarif(all, {}));
  check_sarif(log);
  for (const Json& result : log["runs"][0]["results"])
    for (const Json& place : result["relatedLocations"])
      lines.push_back(place["physicalLocation"]["artifactLocation"]["uri"].get<std::string>() +
                      place["message"]["text"].get<std::string>());
  EXPECT_THAT(lines, testing::UnorderedElementsAre("b.cuinlined at this call",
                                                   "other.hinlined at this call",
                                                   "b.cuinlined at this call"));
}

}  // namespace
}  // namespace heddle::cli
