// What README and the reference page say is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/help.hpp"
#include "cli/nvprof_names.hpp"
#include "simulator/record/metrics.hpp"

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

TEST(Documents, NameOnlyFilesAndFoldersThatExist) {
  // `isa/`, `simulator/record/metric_table.cpp`, `./scripts/test.sh`: what stands in backticks with
  // a slash.
  std::size_t names = 0;
  for (const char* const document : {"README.md", "CONTRIBUTING.md", "docs/design.md"}) {
    const auto named = all_matches(text_of(kRoot / document),
                                   std::regex("`(?:\\./)?([a-z_.]+/[A-Za-z0-9_./-]*)`"));
    names += named.size();
    for (const std::string& name : named) {
      const bool made = name.starts_with("build/");
      EXPECT_TRUE(made || fs::exists(kRoot / name)) << document << " names " << name;
    }
  }
  EXPECT_GT(names, 40u);
}

TEST(Experiments, StandInTheIndex) {
  const std::string index = text_of(kRoot / "docs/experiments/README.md");
  for (const auto& experiment : fs::directory_iterator(kRoot / "gpu/kernels/micro")) {
    const std::string name = experiment.path().filename().string();
    EXPECT_TRUE(experiment.is_directory()) << name << " needs a folder";
    EXPECT_THAT(index, testing::HasSubstr("| `" + name + "` | ")) << name;
  }
  for (const auto& page : fs::directory_iterator(kRoot / "docs/experiments")) {
    const std::string name = page.path().filename().string();
    if (name == "README.md") continue;
    EXPECT_THAT(index, testing::HasSubstr("](" + name + ")")) << name;
  }
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

// "What is it? (2)" -> "what-is-it-2", as the usual viewers of Markdown name a heading.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> anchors;
  for (const std::string& heading : all_matches(text, std::regex("(?:^|\n)#+ ([^\n]+)")))
    anchors.insert(anchor_of(heading));
  return anchors;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const char* const folder : {"docs", "gpu", "validation", ".github"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const auto& entry : fs::directory_iterator(kRoot))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

std::string without_code_blocks(const std::string& text) {
  return std::regex_replace(text, std::regex("```[^`]*```"), "");
}

TEST(Documents, LinkOnlyToFilesAndHeadingsThatExist) {
  int links = 0;
  for (const fs::path& document : documents())
    for (const std::string& link :
         all_matches(without_code_blocks(text_of(document)), std::regex("\\]\\(([^)\\s]+)\\)"))) {
      if (link.find("://") != std::string::npos || link.starts_with("mailto:")) continue;
      ++links;
      const std::string file = link.substr(0, link.find('#'));
      const fs::path target = file.empty() ? document : document.parent_path() / file;
      ASSERT_TRUE(fs::exists(target)) << document << " links to " << link;
      const auto mark = link.find('#');
      EXPECT_TRUE(mark == std::string::npos ||
                  anchors_of(text_of(target)).contains(link.substr(mark + 1)))
          << document << " links to " << link;
    }
  EXPECT_GT(links, 30);
}

TEST(CommandReference, IsWhatTheTableOfOptionsMakes) {
  EXPECT_EQ(text_of(kRoot / "docs/command.md"), heddle::cli::reference())
      << "run: heddle reference markdown > docs/command.md";
}

TEST(MetricsPage, SaysOfEveryNameOfNvprofThatItIsSupportedOrWhyNot) {
  std::set<std::string_view> seen;
  for (const heddle::cli::NvprofName& each : heddle::cli::nvprof_names()) {
    const bool known = heddle::simulator::find_metric(each.name) != nullptr;
    EXPECT_NE(known, !each.why_not.empty()) << each.name;
    EXPECT_TRUE(seen.insert(std::string_view(each.name)).second || each.is_event) << each.name;
  }
  EXPECT_GT(seen.size(), 250u);
  // And of every name in the table of metrics.
  for (const heddle::simulator::Metric& metric : heddle::simulator::metrics())
    if (!metric.nvprof.empty()) {
      EXPECT_TRUE(seen.contains(metric.nvprof)) << metric.nvprof;
    }
}

TEST(MetricsPage, IsWhatTheTableOfMetricsMakes) {
  EXPECT_EQ(text_of(kRoot / "docs/metrics.md"), heddle::cli::metrics_page())
      << "run: heddle reference metrics > docs/metrics.md";
}

}  // namespace
