// What README and the reference page say is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "cli/help.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = HEDDLE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::set<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

TEST(Readme, NamesOnlyFilesAndFoldersThatExist) {
  // `isa/`, `simulator/record/metric_table.cpp`, `./scripts/test.sh`: what stands in backticks with
  // a slash.
  const auto named = all_matches(text_of(kRoot / "README.md"),
                                 std::regex("`(?:\\./)?([a-z_.]+/[A-Za-z0-9_./-]*)`"));
  EXPECT_GT(named.size(), 10u);
  for (const std::string& name : named)
    EXPECT_TRUE(fs::exists(kRoot / name)) << "README names " << name;
}

TEST(Readme, NamesOnlyCommandsThatExist) {
  const auto named =
      all_matches(text_of(kRoot / "README.md"), std::regex("(?:\n +|`)heddle ([a-z]+)"));
  std::set<std::string> known;
  for (const heddle::cli::Command& command : heddle::cli::commands()) known.emplace(command.name);
  for (const std::string& name : named)
    EXPECT_TRUE(known.contains(name)) << "README says heddle " << name;
}

TEST(Readme, GivesTwoCommandsThatCanBeRun) {
  const auto scripts =
      all_matches(text_of(kRoot / "README.md"), std::regex("\n    \\./(scripts/[a-z]+\\.sh)"));
  EXPECT_EQ(scripts.size(), 2u);
  for (const std::string& script : scripts)
    EXPECT_NE(fs::status(kRoot / script).permissions() & fs::perms::owner_exec, fs::perms::none)
        << script;
}

TEST(CommandReference, IsWhatTheTableOfOptionsMakes) {
  EXPECT_EQ(text_of(kRoot / "docs/command.md"), heddle::cli::reference())
      << "run: heddle reference markdown > docs/command.md";
}

TEST(MetricsPage, IsWhatTheTableOfMetricsMakes) {
  EXPECT_EQ(text_of(kRoot / "docs/metrics.md"), heddle::cli::metrics_page())
      << "run: heddle reference metrics > docs/metrics.md";
}

}  // namespace
