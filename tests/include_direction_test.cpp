// Includes run one way: isa <- simulator <- traces <- gpu/runtime <- validation <- cli, and from
// room to room within simulator and traces. What is in gpu/cupti and gpu/kernels needs the CUDA
// Toolkit alone and includes nothing of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Folders = std::set<std::string>;

const std::map<std::string, Folders>& allowed() {
  static const std::map<std::string, Folders> rules = {
      {"isa", {"isa"}},
      {"simulator", {"isa", "simulator"}},
      {"traces", {"isa", "simulator", "traces"}},
      {"gpu/runtime", {"isa", "simulator", "traces", "gpu/runtime"}},
      {"gpu/cupti", {"gpu/cupti"}},
      {"gpu/launcher", {"isa", "simulator", "gpu/runtime", "gpu/launcher"}},
      {"gpu/kernels", {}},
      {"validation", {"isa", "simulator", "traces", "gpu/runtime", "gpu/kernels", "validation"}},
      {"cli", {"isa", "simulator", "traces", "gpu/runtime", "validation", "cli"}},
  };
  return rules;
}

// Each room includes itself and those before it.
const std::map<std::string, std::vector<std::string>>& rooms() {
  static const std::map<std::string, std::vector<std::string>> order = {
      {"simulator",
       {"base", "warp", "lanes", "native", "memory", "models", "launch", "execute", "run", "timing",
        "checks", "device", "record"}},
      {"traces", {"sketch", "analysis", "formats", "stepper", "viewer"}},
  };
  return order;
}

// The place of the file's room in its folder's order; nothing for tests, benchmarks and the like,
// which may include any.
std::optional<std::size_t> room_of(const std::string& folder, const std::string& path) {
  const auto found = rooms().find(folder);
  if (found == rooms().end() || path.find("/tests/") != std::string::npos) return std::nullopt;
  for (std::size_t i = 0; i < found->second.size(); ++i)
    if (path.starts_with(folder + "/" + found->second[i] + "/")) return i;
  return std::nullopt;
}

// The machine's state is the simulator's own: observers see it through simulator/launch/views.hpp.
// Traces of Accel-Sim are executed instead of code.
bool may_see_the_machine(const std::string& file) {
  return file.starts_with("simulator/") || file.starts_with("traces/formats/accelsim_replay.") ||
         file.find("/tests/") != std::string::npos;
}
bool is_the_machine(const std::string& header) { return header.starts_with("simulator/execute/"); }

// "gpu/runtime" of "gpu/runtime/stream.hpp", "isa" of "isa/tests/x.cpp"; empty: none of ours.
std::string folder_of(const std::string& path) {
  for (const auto& [folder, ignored] : allowed())
    if (path.starts_with(folder + "/")) return folder;
  return {};
}

std::vector<std::string> included(const fs::path& file) {
  static const std::regex include("^\\s*#\\s*include\\s*\"([^\"]+)\".*");
  std::ifstream stream(file);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);)
    if (std::smatch match; line.size() < 300 && std::regex_match(line, match, include))
      result.push_back(match[1]);
  return result;
}

bool is_source(const fs::path& file) {
  static const std::set<std::string> extensions = {".hpp", ".cpp", ".h", ".cu", ".cuh", ".inc"};
  return extensions.contains(file.extension().string());
}

// CUDA programs find what they share without an include path: a plain nvcc compiles them.
bool is_program(const std::string& file) {
  return folder_of(file) == "gpu/kernels" || file.starts_with("simulator/benchmarks/programs/");
}

// What breaks the rule in one file, given what it includes.
std::vector<std::string> wrong_includes(const std::string& file,
                                        const std::vector<std::string>& includes) {
  std::vector<std::string> wrong;
  const Folders& may = allowed().at(folder_of(file));
  for (const std::string& include : includes) {
    const std::string target = folder_of(include);
    const bool upwards = include.find("..") != std::string::npos && !is_program(file);
    const auto room = room_of(folder_of(file), file), included_room = room_of(target, include);
    const bool to_a_later_room =
        target == folder_of(file) && room && included_room && *included_room > *room;
    const bool looks_inside = is_the_machine(include) && !may_see_the_machine(file);
    if (upwards || to_a_later_room || looks_inside || (!target.empty() && !may.contains(target)))
      wrong.push_back(file + " includes " + include);
  }
  return wrong;
}

TEST(Includes, RunOneWay) {
  const fs::path root = HEDDLE_SOURCE_DIR;
  std::vector<std::string> wrong;
  int files = 0;
  for (const auto& [folder, ignored] : allowed()) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      ++files;
      const std::string name = fs::relative(entry.path(), root).string();
      for (const std::string& each : wrong_includes(name, included(entry.path())))
        wrong.push_back(each);
    }
  }
  EXPECT_GT(files, 30);
  EXPECT_THAT(wrong, ::testing::IsEmpty());
}

TEST(Includes, KnowEveryRoom) {
  static const std::set<std::string> others = {"tests", "fuzz", "benchmarks", "kernels"};
  for (const auto& [folder, names] : rooms()) {
    for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory() || others.contains(name)) continue;
      EXPECT_THAT(names, testing::Contains(name));
    }
  }
}

TEST(Includes, ThatPointBackAreSeen) {
  EXPECT_EQ(wrong_includes("simulator/warp/x.hpp", {"simulator/execute/machine.hpp"}).size(), 1u);
  EXPECT_EQ(wrong_includes("simulator/execute/x.hpp", {"simulator/warp/warp.hpp"}).size(), 0u);
  EXPECT_EQ(wrong_includes("traces/analysis/x.hpp", {"traces/viewer/page.hpp"}).size(), 1u);
  EXPECT_EQ(wrong_includes("isa/x.cpp", {"simulator/warp/warp.hpp", "isa/op.hpp", "vector"}).size(),
            1u);
  EXPECT_EQ(wrong_includes("gpu/runtime/x.cpp", {"cli/a.hpp", "validation/b.hpp"}).size(), 2u);
  EXPECT_EQ(wrong_includes("gpu/cupti/x.cpp", {"simulator/record/record.hpp"}).size(), 1u);
  EXPECT_EQ(wrong_includes("cli/x.cpp", {"simulator/execute/machine.hpp"}).size(), 1u);
  EXPECT_EQ(wrong_includes("traces/analysis/x.hpp", {"simulator/execute/core.hpp"}).size(), 1u);
  EXPECT_EQ(wrong_includes("simulator/x.cpp", {"../isa/op.hpp"}).size(), 1u);
  EXPECT_EQ(wrong_includes("cli/x.cpp", {"validation/compare.hpp", "isa/op.hpp"}).size(), 0u);
}

}  // namespace
