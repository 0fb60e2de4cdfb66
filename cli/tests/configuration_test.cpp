#include "cli/configuration.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/launch_settings.hpp"
#include "cli/temporary_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

const char* environment(const char* name) {
  if (name == std::string_view("HEDDLE_GPU")) return "t4";
  if (name == std::string_view("HEDDLE_PER_PC")) return "1";
  return nullptr;
}
const char* nothing_set(const char*) { return nullptr; }

class Configuration : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  Arguments configured(const std::vector<std::string>& words, const Surroundings& around) {
    const Command& command = find_command("run");
    Arguments arguments = parse(command, words);
    configure(arguments, command, around);
    return arguments;
  }
  TemporaryFolder folder_;
};

TEST_F(Configuration, MayNameTheOrderOfWarps) {
  const Surroundings around{nothing_set, {write("heddle.toml", "schedule = 'random'\nseed = 7\n")}};
  EXPECT_EQ(launch_settings(configured({"--", "./a"}, around), 0).random_schedule, 7u);
  EXPECT_EQ(launch_settings(configured({"--schedule", "even", "--", "./a"}, around), 0), [] {
    simulator::LaunchSettings settings;
    settings.threads = 0;
    return settings;
  }());
  const Surroundings nothing{nothing_set, {}};
  EXPECT_EQ(launch_settings(configured({"--schedule", "random", "--", "./a"}, nothing), 0)
                .random_schedule,
            1u);
}

TEST_F(Configuration, MayForbidNativeCode) {
  const Surroundings nothing{nothing_set, {}};
  EXPECT_TRUE(launch_settings(configured({"--interpret", "--", "./a"}, nothing), 0).interpret);
  EXPECT_FALSE(launch_settings(configured({"--", "./a"}, nothing), 0).interpret);
}

TEST_F(Configuration, TheNearerPlaceWins) {
  const Surroundings around{
      environment,
      {write("near.toml", "gpu = 'a100'\nthreads = 2\nformat = 'nvprof'\n[run]\nthreads = 3\n"),
       write("far.toml", "threads = 4\ntimeout = 5\nmetrics = ['branch', 'ipc']\nblock = 64\n")}};
  const Arguments arguments = configured({"--format", "table", "--", "./a"}, around);
  EXPECT_EQ(arguments.value("format"), "table");  // typed
  EXPECT_EQ(arguments.value("gpu"), "t4");        // the environment
  EXPECT_TRUE(arguments.has("per-pc"));
  EXPECT_EQ(arguments.value("threads"), "3");  // the command's own table
  EXPECT_EQ(arguments.value("timeout"), "5");  // the farther file
  EXPECT_THAT(arguments.list("metrics"), ElementsAre("branch", "ipc"));
  const std::string text = configuration_text(arguments, find_command("run"));
  EXPECT_THAT(text, HasSubstr("from HEDDLE_GPU"));
  EXPECT_THAT(text, HasSubstr("near.toml:5"));
  EXPECT_THAT(text, HasSubstr("from the command line"));
}

TEST_F(Configuration, AFlagSetToFalseHidesAFartherTrue) {
  const Surroundings around{
      nothing_set,
      {write("near.toml", "per-pc = false"), write("far.toml", "per-pc = true"),
       folder_.path() / "not there.toml"}};
  EXPECT_FALSE(configured({}, around).has("per-pc"));
}

// The folder may have been downloaded.
TEST_F(Configuration, AProjectsFileHasNothingWrittenReadOrRun) {
  const auto error_of = [&](const std::string& text, std::size_t of_project) {
    const Surroundings around{nothing_set, {write("heddle.toml", text)}, of_project};
    try {
      configured({}, around);
    } catch (const Usage& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const Command& command : commands())
    for (const Option& option : command.options) {
      const std::string line =
          option.argument.empty()
              ? fmt::format("{} = true\n", option.name)
              : fmt::format("{} = '{}'\n", option.name, option.name == "trace" ? "text=x" : "x");
      for (const std::string& text : {"\n" + line, fmt::format("[{}]\n{}", command.name, line)}) {
        const std::string error = error_of(text, 1);
        if (option.effect == Effect::none) {
          EXPECT_THAT(error, Not(HasSubstr("may not set"))) << text;
        } else {
          EXPECT_THAT(error, HasSubstr(fmt::format("heddle.toml:2: {}: a folder's heddle.toml may",
                                                   option.name)));
        }
      }
      EXPECT_THAT(error_of("\n" + line, 0), Not(HasSubstr("may not set"))) << line;  // the user's
    }
}

// An option that writes says so in its row.
TEST(Options, ThatWriteSaySo) {
  for (const Command& command : commands())
    for (const Option& option : command.options) {
      const bool writes = option.meaning.starts_with("write") ||
                          option.meaning.find("put the") != option.meaning.npos ||
                          option.meaning.starts_with("draw") || option.name == "svg";
      if (writes) {
        EXPECT_NE(option.effect, Effect::none) << command.name << " --" << option.name;
      }
    }
}

TEST_F(Configuration, MistakesNameFileLineAndKey) {
  const auto expect = [&](const std::string& text, const std::string& message) {
    const Surroundings around{nothing_set, {write("bad.toml", text)}};
    EXPECT_THAT([&] { configured({}, around); }, ThrowsMessage<Usage>(HasSubstr(message))) << text;
  };
  expect("\nthreds = 1", "bad.toml:2: threds: no command has this option; did you mean threads?");
  expect("per-pc = 3", "bad.toml:1: per-pc: expected true or false");
  expect("gpu = { a = 1 }", "bad.toml:1: gpu: no command");
  expect("[run]\nregisters = 3", "bad.toml:2: registers: heddle run has no such option");
  expect("threads = ", "bad.toml:1: is not TOML: write one NAME = VALUE per line");
  const Surroundings around{[](const char* name) -> const char* {
                              return name == std::string_view("HEDDLE_PER_PC") ? "yes" : nullptr;
                            },
                            {}};
  EXPECT_THAT([&] { configured({}, around); },
              ThrowsMessage<Usage>(HasSubstr("HEDDLE_PER_PC=yes: expected 0 or 1")));
}

}  // namespace
}  // namespace heddle::cli
