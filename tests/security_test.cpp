// What SECURITY.md says enforces its promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = HEDDLE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void add_matches(std::set<std::string>& found, const std::string& text, const std::regex& pattern,
                 const std::string& between = "") {
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i)
    found.insert(i->size() > 2 ? (*i)[1].str() + between + (*i)[2].str() : (*i)[1].str());
}

// Every test and fuzz target of the repository.
std::set<std::string> enforcers() {
  static const std::regex test("\\bTEST(?:_[FP])?\\((\\w+),\\s*(\\w+)\\)");
  static const std::regex added("add_test\\(NAME ([\\w.]+)");
  std::set<std::string> found;
  for (const char* folder :
       {"isa", "simulator", "traces", "gpu/runtime", "validation", "cli", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with("_fuzzer.cpp")) found.insert(entry.path().stem().string());
      if (name.ends_with("_test.cpp")) add_matches(found, text_of(entry.path()), test, ".");
      if (name == "CMakeLists.txt") add_matches(found, text_of(entry.path()), added);
    }
  return found;
}

// The last cells of SECURITY.md's table, below its heading.
std::vector<std::string> last_cells() {
  std::istringstream lines(text_of(kRoot / "SECURITY.md"));
  std::vector<std::string> cells;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ") && !line.starts_with("| Input"))
      cells.push_back(line.substr(line.rfind(" | ") + 3));
  return cells;
}

TEST(Security, NamesOnlyTestsThatExist) {
  const std::set<std::string> there = enforcers();
  std::set<std::string> named;
  for (const std::string& cell : last_cells()) add_matches(named, cell, std::regex("`([^`]+)`"));
  EXPECT_GT(named.size(), 20u);
  for (const std::string& name : named)
    EXPECT_TRUE(there.contains(name)) << "SECURITY.md names " << name;
}

TEST(Security, EveryPromiseHasATest) {
  EXPECT_GT(last_cells().size(), 15u);
  for (const std::string& cell : last_cells()) EXPECT_NE(cell.find('`'), std::string::npos) << cell;
}

TEST(Security, EveryFuzzTargetIsRunByTheScript) {
  const std::string script = text_of(kRoot / "scripts/fuzz.sh");
  constexpr std::string_view kEnding = "_fuzzer";
  for (const std::string& name : enforcers()) {
    if (!name.ends_with(kEnding)) continue;
    const std::string target = name.substr(0, name.size() - kEnding.size());
    EXPECT_NE(script.find("\n" + target + " "), std::string::npos) << target;
  }
}

}  // namespace
