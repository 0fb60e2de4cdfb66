// heddle_join OUT FRAGMENT…: joins what several runs of one program measured (fragment.hpp) into
// one record. The first fragment file names the launches. A launch that several files of one mode
// measured was repeated: the first one counts, and where another differs the launch says so
// ("varies"); counters are not compared. Exit status: 0; 1 the runs do not belong together or
// something is missing (what could be joined is written, marked "complete": false); 2 trouble.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

#include "gpu/cupti/json.hpp"

namespace heddle::cupti {
namespace {

struct Part {
  std::string identity, metrics, other;
};

struct Run {
  std::string path, mode, common, own;
  std::map<std::uint64_t, Part> launches;  // by index
  bool ended = false;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

Run read_run(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  Run run;
  run.path = path;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields[0] == "header" && fields.size() == 4) {
      run.mode = fields[1], run.common = fields[2], run.own = fields[3];
    } else if (fields[0] == "launch" && fields.size() == 5) {
      run.launches[std::stoull(fields[1])] = {fields[2], fields[3], fields[4]};
    } else if (fields[0] == "end") {
      run.ended = true;
    }  // else the line a crash cut short
  }
  if (run.mode.empty()) throw std::runtime_error(path + ": no header");
  return run;
}

class Joiner {
 public:
  explicit Joiner(std::vector<Run> runs) : runs_(std::move(runs)) {
    for (const Run& run : runs_) complete_ = complete_ && run.ended;
  }

  // The launches first: whether all is complete is known only then.
  std::string record() {
    std::string launches;
    for (const auto& [index, part] : runs_.front().launches)
      launches += (launches.empty() ? "\n" : ",\n") + launch(index, part.identity);
    Members out;
    out.add("schema", "heddle.record/1")
        .add("source", "hardware")
        .add_members(runs_.front().common);
    for (const auto& [mode, run] : first_of_each_mode()) out.add_members(run->own);
    out.add_raw("complete", complete_ ? "true" : "false");
    return "{" + out.text() + ", \"launches\": [" + launches + "\n]}\n";
  }

  bool complete() const { return complete_; }

 private:
  std::map<std::string, const Run*> first_of_each_mode() const {
    std::map<std::string, const Run*> first;
    for (const Run& run : runs_) first.try_emplace(run.mode, &run);
    return first;
  }

  std::string launch(std::uint64_t index, const std::string& identity) {
    std::map<std::string, std::vector<const Part*>> by_mode;
    for (const Run& run : runs_) {
      const auto part = run.launches.find(index);
      if (part == run.launches.end()) continue;
      if (part->second.identity == identity)
        by_mode[run.mode].push_back(&part->second);
      else
        differs(index, identity, run, part->second.identity);
    }
    Members metrics, other, repeated;
    std::vector<std::string> varies;
    for (const auto& [mode, run] : first_of_each_mode()) {
      const std::vector<const Part*>& parts = by_mode[mode];
      if (parts.empty()) {
        std::fprintf(stderr, "launch %llu: not measured in mode %s\n",
                     static_cast<unsigned long long>(index), mode.c_str());
        complete_ = false;
        continue;
      }
      metrics.add_members(parts.front()->metrics);
      other.add_members(parts.front()->other);
      repeated.add(mode, std::uint64_t{parts.size()});
      if (!all_equal(parts) && mode != "counters" && mode != "timing" &&
          mode != "sampling")  // these depend on time
        varies.push_back(json_string(mode == "sass" ? "instructions" : mode));
    }
    Members out;
    out.add("index", index).add_members(identity).add_raw("runs", repeated.object());
    if (!varies.empty()) out.add_raw("varies", json_array(varies));
    out.add_raw("metrics", metrics.object()).add_members(other.text());
    return out.object();
  }

  static bool all_equal(const std::vector<const Part*>& parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const Part* part) {
      return part->metrics == parts.front()->metrics && part->other == parts.front()->other;
    });
  }

  void differs(std::uint64_t index, const std::string& identity, const Run& run,
               const std::string& other) {
    std::fprintf(stderr, "launch %llu: %s has {%s}, %s has {%s}\n",
                 static_cast<unsigned long long>(index), runs_.front().path.c_str(),
                 identity.c_str(), run.path.c_str(), other.c_str());
    complete_ = false;
  }

  std::vector<Run> runs_;
  bool complete_ = true;
};

// Beside its place, then renamed: after a crash there is the old file or the new one.
void write_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path beside = path.string() + ".new";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(beside.string() + ": cannot be written");
  std::filesystem::rename(beside, path);
}

}  // namespace
}  // namespace heddle::cupti

int main(int argc, char** argv) {
  using namespace heddle::cupti;
  if (argc < 3) {
    std::fprintf(stderr, "usage: heddle_join OUT FRAGMENT...\n");
    return 2;
  }
  try {
    std::vector<Run> runs;
    for (int i = 2; i < argc; ++i) runs.push_back(read_run(argv[i]));
    Joiner joiner(std::move(runs));
    write_file(argv[1], joiner.record());
    return joiner.complete() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_join: %s\n", error.what());
    return 2;
  }
}
