#include "cli/variant.hpp"

#include <fmt/format.h>

#include <boost/program_options/parsers.hpp>
#include <cstdio>

#include "cli/child.hpp"
#include "cli/sketch_file.hpp"
#include "cli/source_files.hpp"
#include "cli/step_launches.hpp"
#include "cli/text.hpp"
#include "simulator/base/file.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

bool is_record(const std::string& word) {
  const std::string extension = fs::path(word).extension().string();
  return extension == ".json" || extension == ".zst";
}

Variant of_record(const std::string& text) {
  Variant variant;
  variant.words = text;
  variant.record = simulator::read_record(text);
  variant.source_folders = {fs::current_path(), fs::absolute(text).parent_path()};
  return variant;
}

}  // namespace

std::vector<std::string> words_of_variant(const std::string& text) {
  if (fs::exists(text)) return {text};
  return boost::program_options::split_unix(text);
}

fs::path own_executable() { return fs::read_symlink("/proc/self/exe"); }

std::string tail(const fs::path& file) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  constexpr std::size_t kShown = 2000;
  std::string text = simulator::read_file(file, kMost);
  if (text.size() > kShown) text = text.substr(text.find('\n', text.size() - kShown) + 1);
  return text;
}

Variant make_variant(const std::string& text, const VariantRun& run) {
  const std::vector<std::string> words = words_of_variant(text);
  if (words.empty()) throw Usage("a variant is empty");
  if (words.size() == 1 && is_record(words[0])) return of_record(words[0]);
  const Arguments parsed = parse(find_command("run"), words);
  Variant variant;
  variant.words = text;
  variant.source_folders = source_folders(parsed);
  const bool is_launched = !parsed.program.empty() || is_sketch(parsed.words.front());
  const fs::path record = run.folder / "record.json", captured = run.folder / "captured",
                 said = run.folder / "said";
  std::vector<std::string> command = {
      own_executable().string(), "run", "--quiet", "--per-pc", "--record", record.string()};
  command.insert(command.end(), run.options.begin(), run.options.end());
  if (run.capture && is_launched) {
    command.emplace_back("--capture");
    command.push_back(captured.string());
  }
  command.insert(command.end(), words.begin(), words.end());
  const ChildResult child = run_child(command, {}, std::nullopt, {"/dev/null", said});
  if (!fs::exists(record))
    throw std::runtime_error(fmt::format("heddle run {} ended with status {}:\n{}", text,
                                         child.status, visible_lines(tail(said))));
  if (child.status != 0)
    fmt::print(stderr, "heddle: {} ended with status {}\n{}", visible(text), child.status,
               visible_lines(tail(said)));
  variant.record = simulator::read_record(record);
  if (variant.record.launches.empty())
    throw std::runtime_error(fmt::format("{} launched no kernel", visible(text)));
  if (!run.capture) return variant;
  if (is_launched) {
    variant.capsules = validation::find_capsules(captured);
  } else {
    for (const std::string& word : parsed.words)
      if (fs::path(word).extension() != ".cubin")
        for (const fs::path& file : validation::find_capsules(word))
          variant.capsules.push_back(file);
  }
  return variant;
}

}  // namespace heddle::cli
