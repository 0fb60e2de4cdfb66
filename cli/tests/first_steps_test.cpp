// docs/first-steps.md shows what the commands above its listings print.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tests/shell.hpp"

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;

// Of a line up to a remark.
Words words(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find("//")));
  return {std::istream_iterator<std::string>(stream), {}};
}

// Whether `some` stand in `all` in the same order. A listing leaves columns out.
bool in_order(const Words& some, const Words& all) {
  auto at = all.begin();
  return std::all_of(some.begin(), some.end(), [&](const std::string& word) {
    at = std::find(at, all.end(), word);
    if (at == all.end()) return false;
    ++at;
    return true;
  });
}

std::vector<Words> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<Words> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(words(line));
  return lines;
}

TEST(FirstSteps, ListingsAreWhatTheCommandsPrint) {
  std::ifstream page(HEDDLE_SOURCE_DIR "/docs/first-steps.md");
  std::map<std::string, int> listed;  // lines by command
  std::string command;
  std::vector<Words> printed;
  for (std::string line; std::getline(page, line);) {
    if (const auto at = line.find("    heddle run --trace text "); at == 0) {
      command = line.substr(line.find("run"));
      const auto capsules = command.find("validation/capsules");
      ASSERT_NE(capsules, std::string::npos) << line;
      command.insert(capsules, HEDDLE_SOURCE_DIR "/");
      const Outcome outcome = run_heddle(command, Kept::errors);
      EXPECT_EQ(outcome.status, 0) << line;
      printed = lines_of(outcome.text);
    } else if (line.starts_with("    ") && !words(line).empty() &&
               words(line)[0].find_first_not_of("0123456789") == std::string::npos) {
      ++listed[command];
      EXPECT_TRUE(std::any_of(printed.begin(), printed.end(),
                              [&](const Words& all) { return in_order(words(line), all); }))
          << command << " does not print" << line;
    }
  }
  EXPECT_EQ(listed.size(), 2u);
  for (const auto& [of, count] : listed) EXPECT_GE(count, 4) << of;
}

}  // namespace
}  // namespace heddle::cli
