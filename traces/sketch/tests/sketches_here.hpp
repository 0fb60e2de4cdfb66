// The sketches of this repository, for tests that ask something of all of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::simulator {

// The examples of docs/sketches.md, in their order.
inline std::vector<std::string> guide_sketches() {
  std::ifstream guide(HEDDLE_SOURCE_DIR "/docs/sketches.md");
  std::vector<std::string> found;
  bool inside = false;
  for (std::string line; std::getline(guide, line);) {
    if (line == "```cuda") {
      inside = true;
      found.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

struct SketchHere {
  std::string origin, text;
};

// Those of the guide, of the seed kernels (written and derived), and the fuzzer's.
inline std::vector<SketchHere> sketches_here() {
  namespace fs = std::filesystem;
  std::vector<SketchHere> found;
  for (const std::string& text : guide_sketches())
    found.push_back({"docs/sketches.md, " + std::to_string(found.size()), text});
  for (const char* const folder : {"traces/kernels", "traces/sketch/fuzz/sketches"})
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".warp") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      found.push_back({entry.path().string(), text.str()});
    }
  return found;
}

}  // namespace heddle::simulator
