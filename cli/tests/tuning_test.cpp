// docs/tuning.md shows what the commands above its listings print.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// What time decides is modelled: a better model gives other numbers, and the listing stays.
bool is_modelled(const std::string& word) { return word.find('~') != word.npos; }

bool stands_for(const std::string& some, const std::string& word) {
  return some == word || (is_modelled(some) && is_modelled(word));
}

// Whether `some` stand in `all` in the same order. A listing leaves columns out.
bool in_order(const Words& some, const Words& all) {
  auto at = all.begin();
  return std::all_of(some.begin(), some.end(), [&](const std::string& word) {
    at = std::find_if(at, all.end(), [&](const auto& each) { return stands_for(word, each); });
    if (at == all.end()) return false;
    ++at;
    return true;
  });
}

Words words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<Words> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<Words> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(words(line));
  return lines;
}

TEST(Tuning, ListingsAreWhatTheCommandsPrint) {
  const tests::ScratchFolder folder;
  for (const auto& entry : fs::directory_iterator(HEDDLE_SOURCE_DIR "/docs/tuning"))
    fs::copy(entry.path(), folder / entry.path().filename().string());
  std::ifstream page(HEDDLE_SOURCE_DIR "/docs/tuning.md");
  std::string command;
  std::vector<Words> printed;
  std::size_t commands = 0, listed = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("    ")) continue;
    if (line.starts_with("    heddle ")) {
      command = line.substr(4);
      ++commands;
      printed = lines_of(run_shell("cd '" + folder.path().string() + "' && " HEDDLE_EXECUTABLE +
                                   command.substr(std::string("heddle").size()) + " 2>&1")
                             .text);
      continue;
    }
    ++listed;
    EXPECT_TRUE(std::any_of(printed.begin(), printed.end(),
                            [&](const Words& all) { return in_order(words(line), all); }))
        << command << " does not print" << line;
  }
  EXPECT_GE(commands, 8u);
  EXPECT_GE(listed, 30u);
}

}  // namespace
}  // namespace heddle::cli
