#include "cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/help.hpp"
#include "cli/selection.hpp"

namespace heddle::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

Arguments parsed(const std::vector<std::string>& words, std::string_view command = "occupancy") {
  return parse(find_command(command), words);
}

TEST(Parse, TakesOptionsInTheFormsAShellUserWrites) {
  EXPECT_EQ(parsed({"--block", "64"}).value("block"), "64");
  EXPECT_EQ(parsed({"--block=64"}).value("block"), "64");
  EXPECT_EQ(parsed({"-b", "64"}).value("block"), "64");
  EXPECT_EQ(parsed({"-b64"}).value("block"), "64");
  EXPECT_THAT(parsed({"a.cubin", "-b", "64", "b.cubin"}).words, ElementsAre("a.cubin", "b.cubin"));
}

TEST(Parse, OffersTheNearestOptionForAMisspeltOne) {
  EXPECT_THAT(
      [] {
        parsed({"--regsters", "3"});
      },
      ThrowsMessage<Usage>(HasSubstr("unknown option --regsters; did you mean --registers?")));
  EXPECT_THAT([] { find_command("occupncy"); },
              ThrowsMessage<Usage>(HasSubstr("did you mean occupancy?")));
}

TEST(Parse, DoesNotGuessFromAPrefix) { EXPECT_THROW(parsed({"--reg", "3"}), Usage); }

TEST(Parse, RefusesAnOptionWithoutItsValue) { EXPECT_THROW(parsed({"--block"}), Usage); }

TEST(Parse, SaysWhatToTypeForAMissingValue) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--gpu"}, {"--gpu", "--", "./a"}})
    EXPECT_THAT([&] { parsed(words, "run"); },
                ThrowsMessage<Usage>("--gpu needs a value: --gpu ID"));
}

TEST(Parse, TakesTheFirstWordForAProgramAndAllBehindItForItsArguments) {
  const Arguments run = parsed({"-t", "2", "--per-pc", "./a", "--gpu", "64", "--", "-x"}, "run");
  EXPECT_EQ(run.value("threads"), "2");
  EXPECT_FALSE(run.has("gpu"));
  EXPECT_THAT(run.words, IsEmpty());
  EXPECT_THAT(run.program, ElementsAre("./a", "--gpu", "64", "--", "-x"));
  EXPECT_THAT(parsed({"--gpu=h200", "--", "-a"}, "run").program, ElementsAre("-a"));
  EXPECT_THAT(parsed({"kernel.cu", "64"}, "run").program, ElementsAre("kernel.cu", "64"));
}

TEST(Parse, LeavesFilesThatTheCommandReadsItselfAmongItsWords) {
  const Arguments run = parsed({"a.capsule", "--per-pc", "b.capsule"}, "run");
  EXPECT_TRUE(run.has("per-pc"));
  EXPECT_THAT(run.words, ElementsAre("a.capsule", "b.capsule"));
  EXPECT_THAT(run.program, IsEmpty());
  for (const char* file : {"a.warp", "kernelslist.g", "a.traceg", "a.cubin", "."})
    EXPECT_THAT(parsed({file}, "run").words, ElementsAre(file));
}

TEST(Parse, RefusesAProgramWhereNoneBelongs) { EXPECT_THROW(parsed({"--", "./a"}), Usage); }

TEST(Arguments, RefuseANumberThatIsNone) {
  EXPECT_EQ(parsed({"-b", "64"}).number("block", 100), 64u);
  EXPECT_EQ(parsed({}).number("block", 100), std::nullopt);
  for (const char* text : {"", "-1", "6x", "0x10", "101", "99999999999999999999"})
    EXPECT_THROW(parsed({"-b", text}).number("block", 100), Usage) << text;
}

TEST(CommandTable, IsCompleteInAllThatIsMadeFromIt) {
  const std::string all_help = help(), page = reference(), manual = man_page(),
                    completion = bash_completion();
  for (const Command& command : commands()) {
    EXPECT_NE(command.run, nullptr) << command.name;
    EXPECT_THAT(all_help, HasSubstr(command.name));
    EXPECT_THAT(completion, HasSubstr(command.name));
    EXPECT_THAT(page, HasSubstr("## heddle " + std::string(command.name)));
    EXPECT_THAT(manual, HasSubstr("heddle\\-" + std::string(command.name)));
    for (const Option& option : command.options) {
      const std::string spelt = "--" + std::string(option.name);
      EXPECT_THAT(help(command), HasSubstr(spelt));
      EXPECT_THAT(page, HasSubstr(spelt));
      EXPECT_THAT(completion, HasSubstr(spelt));
      EXPECT_FALSE(option.meaning.empty()) << spelt;
    }
  }
}

simulator::Record three_launches() {
  simulator::Record record;
  for (const char* kernel : {"_Z11mathKernel1Pf", "_Z11mathKernel2Pf", "_Z8warmingUPf"}) {
    record.launches.emplace_back();
    record.launches.back().kernel = kernel;
    record.launches.back().index = record.launches.size() - 1;
  }
  return record;
}

TEST(Selection, ChoosesKernelsByNameAndPattern) {
  const simulator::Record record = three_launches();
  const auto count = [&](const std::vector<std::string>& words) {
    return chosen_launches(record, parse(find_command("show"), words)).size();
  };
  EXPECT_EQ(count({}), 3u);
  EXPECT_EQ(count({"-k", "mathKernel1"}), 1u);
  EXPECT_EQ(count({"-k", "_Z11mathKernel1Pf"}), 1u);
  EXPECT_EQ(count({"-k", "regex:math"}), 2u);
  EXPECT_EQ(count({"-k", "regex:math", "-s", "1"}), 1u);
  EXPECT_EQ(count({"-c", "2"}), 2u);
  EXPECT_THROW(count({"-k", "regex:("}), Usage);
  EXPECT_THAT(
      [&] {
        count({"-k", "mathKernel"});
      },
      ThrowsMessage<Usage>(HasSubstr("did you mean mathKernel1?")));
}

TEST(Selection, OffersTheNearestMetric) {
  EXPECT_THAT(
      [] {
        chosen_metrics(parse(find_command("show"), {"--metrics", "branch,gld_eficiency"}));
      },
      ThrowsMessage<Usage>(HasSubstr("did you mean gld_efficiency?")));
}

}  // namespace
}  // namespace heddle::cli
