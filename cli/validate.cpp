// heddle validate: the suite on the model, beside the records of the hardware.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/comparison_text.hpp"
#include "cli/launch_settings.hpp"
#include "cli/layout.hpp"
#include "cli/step_page.hpp"
#include "cli/suite_runs.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/validate_page.hpp"
#include "cli/validate_timing.hpp"
#include "simulator/base/file.hpp"
#include "simulator/base/json.hpp"
#include "simulator/base/spelling.hpp"
#include "simulator/models/gpu_model.hpp"
#include "validation/compare.hpp"
#include "validation/replay.hpp"
#include "validation/suite.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using validation::SuiteEntry;

constexpr const char* kOutputDiffers = "different";

struct Result {
  SuiteEntry entry;
  validation::Comparison comparison;
  std::string trouble;  // why there is no comparison
  std::string output;   // how the program's stdout compares; capsules have none

  bool has_trouble() const { return !trouble.empty() || comparison.trouble(); }
  bool equal() const { return !has_trouble() && comparison.equal() && output != kOutputDiffers; }
};

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

// What kernels print comes in the order in which warps run, which is time's choice on a GPU.
std::string compare_output(const std::string& model, const std::string& hardware) {
  if (model == hardware) return "equal";
  return sorted_lines(model) == sorted_lines(hardware) ? "reordered" : kOutputDiffers;
}

// A record measured where zstd is not installed is not compressed.
fs::path record_file(const fs::path& record) {
  const std::string compressed = record.string() + ".json.zst", plain = record.string() + ".json";
  return !fs::exists(compressed) && fs::exists(plain) ? plain : compressed;
}

// A stepper of the entry's capsules, in a folder beside the page; returns its path as the page
// links to it, or nothing where there are no capsules.
std::string write_stepper(const SuiteEntry& entry, const SuiteSources& sources,
                          const fs::path& page) {
  const std::string name = entry.record_name(kSuiteArch);
  const fs::path capsules = data_directory("validation/capsules") / name;
  if (!fs::exists(capsules)) return {};
  const fs::path folder = page.stem().string() + "-steps";
  fs::create_directories(page.parent_path() / folder);
  write_capsules_page(validation::find_capsules(capsules), sources.records / (name + ".json.zst"),
                      page.parent_path() / folder / (name + ".html"));
  return (folder / (name + ".html")).string();
}

// Makes what --html shows, where a page is asked for.
class PageMaker {
 public:
  PageMaker(const Arguments& arguments, const SuiteSources& sources) : sources_(sources) {
    if (!arguments.has("html")) return;
    if (arguments.has("timing")) throw Usage("--html draws times too: leave --timing out");
    file_ = fs::absolute(arguments.value("html"));
  }
  void add(const Result& result, const simulator::Record& model,
           const simulator::Record& hardware) {
    if (file_.empty()) return;
    const std::string name = result.entry.record_name(kSuiteArch);
    const fs::path times = sources_.records / "timing" / (name + ".json.zst");
    std::optional<ValidationPage::Times> timed;
    if (fs::exists(times)) {
      SuiteSources timing = sources_;
      timing.settings.timing.emplace();
      timed.emplace(run_entry(result.entry, timing).record, simulator::read_record(times));
    }
    page_.add(name, result.comparison, model, hardware, timed,
              write_stepper(result.entry, sources_, file_));
  }
  void add_trouble(const Result& result) {
    page_.add_trouble(result.entry.record_name(kSuiteArch), result.trouble);
  }
  void write() const {
    if (!file_.empty()) page_.write(file_);
  }

 private:
  const SuiteSources& sources_;
  fs::path file_;  // empty: none is asked for
  ValidationPage page_;
};

Result validate(const SuiteEntry& entry, const SuiteSources& sources, SuiteRuns& runs,
                PageMaker& page) {
  Result result{.entry = entry, .comparison = {}, .trouble = {}, .output = {}};
  try {
    const fs::path record = sources.records / entry.record_name(kSuiteArch);
    const simulator::Record hardware = simulator::read_record(record_file(record));
    const SuiteRun run = runs.run(entry);
    result.comparison = validation::compare(run.record, hardware);
    const fs::path expected = record.string() + ".stdout";
    if (!sources.programs.empty() && fs::exists(expected))
      result.output = compare_output(run.output, simulator::read_file(expected, kMostOutput));
    page.add(result, run.record, hardware);
  } catch (const std::exception& error) {
    result.trouble = error.what();
    page.add_trouble(result);
  }
  return result;
}

std::string verdict(const Result& result, const Style& style) {
  if (result.has_trouble()) return style.red("trouble");
  return result.equal() ? style.green("equal") : style.red("different");
}

void add_row(Table& table, const Result& result, const Style& style) {
  std::uint64_t values = 0, allocations = 0, order_dependent = 0;
  for (const auto& launch : result.comparison.launches) {
    values += launch.values;
    allocations += launch.allocations;
    if (launch.order_dependent) ++order_dependent;
  }
  const std::size_t launches = result.comparison.launches.size();
  table.add({result.entry.name, result.entry.build, fmt::format("{}", launches - order_dependent),
             fmt::format("{}", order_dependent), readable(static_cast<double>(values)),
             fmt::format("{}", allocations), result.output.empty() ? "-" : result.output,
             verdict(result, style)});
}

std::string details(const Result& result, std::uint64_t shown) {
  std::string text;
  if (!result.trouble.empty()) text += fmt::format("\n{}\n", visible_lines(result.trouble));
  for (const auto& launch : result.comparison.launches)
    if (!launch.trouble.empty())
      text += fmt::format("\nlaunch {}: {}\n", launch.index, visible(launch.trouble));
  if (!result.comparison.equal()) text += differences_text(result.comparison, shown);
  if (text.empty()) return text;
  return fmt::format("\n{}, {}{}", result.entry.name, result.entry.build, text);
}

nlohmann::ordered_json to_json(const Result& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  json["entry"] = result.entry.record_name(kSuiteArch);
  json["result"] = result.has_trouble() ? "trouble" : result.equal() ? "equal" : "different";
  if (!result.trouble.empty()) json["trouble"] = result.trouble;
  if (!result.output.empty()) json["output"] = result.output;
  json["launches"] = nlohmann::ordered_json::array();
  for (const auto& launch : result.comparison.launches) {
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    row["index"] = launch.index;
    row["kernel"] = launch.kernel;
    row["class"] = launch.order_dependent ? "order-dependent" : "determined";
    row["values"] = launch.values;
    row["differences"] = launch.differences.size();
    row["allocations"] = launch.allocations;
    row["allocations_different"] = launch.memory_differences.size();
    if (!launch.trouble.empty()) row["trouble"] = launch.trouble;
    simulator::list_at(json, "launches").push_back(row);
  }
  return json;
}

// What is judged: the suite given, else the first one; in time, also the launches that are there
// for it.
std::vector<fs::path> suite_files(const Arguments& arguments) {
  if (arguments.has("suite")) return {arguments.value("suite")};
  const fs::path kernels = data_directory("gpu/kernels");
  if (!arguments.has("timing")) return {kernels / "suite.toml"};
  return {kernels / "suite.toml", kernels / "timing.toml"};
}

std::vector<SuiteEntry> chosen_entries(const Arguments& arguments) {
  std::vector<SuiteEntry> entries;
  for (const fs::path& file : suite_files(arguments))
    std::ranges::move(validation::read_suite(file), std::back_inserter(entries));
  std::vector<std::string_view> names;  // an entry's builds stand side by side
  for (const SuiteEntry& entry : entries)
    if (names.empty() || names.back() != entry.name) names.push_back(entry.name);
  for (const std::string& word : arguments.words) {
    if (std::ranges::find(names, word) != names.end()) continue;
    const std::string_view near = simulator::nearest(word, names);
    throw Usage(near.empty()
                    ? fmt::format("no entry {}; there are {}", word, fmt::join(names, ", "))
                    : fmt::format("no entry {}; did you mean {}?", word, near));
  }
  if (!arguments.words.empty())
    std::erase_if(entries, [&](const SuiteEntry& entry) {
      return std::ranges::find(arguments.words, entry.name) == arguments.words.end();
    });
  return entries;
}

// The folder with the entries' programs: given, or built into `folder` where nvcc is found.
fs::path programs(const Arguments& arguments, const std::vector<SuiteEntry>& entries,
                  const fs::path& folder) {
  if (arguments.has("capsules")) return {};
  if (arguments.has("programs")) return arguments.value("programs");
  if (find_program("nvcc").empty() && find_program("/usr/local/cuda/bin/nvcc").empty()) return {};
  fmt::print(stderr, "building the suite's programs for {}\n", kSuiteArch);
  std::set<std::string> names, builds;
  for (const SuiteEntry& entry : entries) names.insert(entry.program), builds.insert(entry.build);
  const ChildResult build = run_child(
      {(data_directory("gpu/kernels") / "build.sh").string(), folder.string(), kSuiteArch},
      {{"PROGRAMS", fmt::format("{}", fmt::join(names, " "))},
       {"BUILDS", fmt::format("{}", fmt::join(builds, " "))}},
      std::nullopt);
  if (build.status != 0) throw std::runtime_error("the suite's programs could not be built");
  return folder;
}

// The folder of hardware records: given, measured into `folder` now, or the committed ones.
fs::path records(const Arguments& arguments, const std::vector<SuiteEntry>& entries,
                 const fs::path& folder) {
  if (arguments.has("records")) return arguments.value("records");
  if (!arguments.has("measure"))
    return data_directory("validation/records") / simulator::reference_model().id;
  fmt::print(stderr, "measuring\n");
  std::set<std::string> names;
  for (const SuiteEntry& entry : entries) names.insert(entry.name);
  const ChildResult measured =
      run_child({(data_directory("gpu/cupti") / "measure_suite.sh").string(), "-s",
                 fs::absolute(suite_files(arguments).front()).string(), "-m", "memory,sass", "-n",
                 fmt::format("{}", fmt::join(names, " ")), folder.string()},
                {}, std::nullopt);
  if (measured.status != 0) throw std::runtime_error("the suite could not be measured");
  return folder;
}

// What ranks cannot share: their own builds and measurements, and the page's steppers.
void refuse_on_ranks(const Arguments& arguments) {
  if (!arguments.has("programs") && !arguments.has("capsules"))
    throw Usage("on the ranks of mpirun give --programs or --capsules");
  for (const char* option : {"measure", "html"})
    if (arguments.has(option))
      throw Usage(fmt::format("--{} is not for the ranks of mpirun", option));
}

fs::path kept_runs(const Arguments& arguments) {
  return arguments.value("output", has_ranks() ? "heddle-validate" : "");
}

}  // namespace

int run_validate(const Arguments& arguments) {
  const bool on_ranks = has_ranks();  // no longer known once they have shared
  if (on_ranks) refuse_on_ranks(arguments);
  const TemporaryFolder built, measured;
  constexpr std::uint64_t kUsual = 3, kMost = 1000000;
  const std::uint64_t shown = arguments.number("show", kMost).value_or(kUsual);
  std::vector<SuiteEntry> entries = chosen_entries(arguments);
  SuiteSources sources;
  sources.settings.threads =
      static_cast<unsigned>(arguments.number("threads", kMostThreads).value_or(0));
  sources.records = records(arguments, entries, measured.path());
  if (arguments.has("timing"))
    std::erase_if(entries,
                  [&](const SuiteEntry& entry) { return !fs::exists(times_of(entry, sources)); });
  sources.programs = programs(arguments, entries, built.path());
  if (sources.programs.empty()) {
    sources.capsules = data_directory("validation/capsules");
    const std::size_t all = entries.size();
    std::erase_if(entries, [&](const SuiteEntry& entry) {
      return !fs::exists(sources.capsules / entry.record_name(kSuiteArch));
    });
    if (!on_ranks)
      fmt::print(stderr, "replaying the launches of {} of the suite's {} entries from capsules\n",
                 entries.size(), all);
  }

  PageMaker page(arguments, sources);
  if (arguments.has("timing")) sources.settings.timing.emplace();
  SuiteRuns runs(entries, sources, kept_runs(arguments));
  if (on_ranks && share_among_ranks(runs) != 0) return 0;
  if (arguments.has("timing"))
    return validate_timing(entries, suite_files(arguments).front(), sources, runs, arguments);
  // mpirun gives its ranks a terminal, wherever its own output goes.
  const Style style =
      Style::choose(arguments.value("color", on_ranks ? "never" : "auto"), STDOUT_FILENO);
  Table table({"entry", "build", "determined", "order-dependent", "values", "allocations", "output",
               "result"});
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  bool equal = true, trouble = entries.empty();
  for (const SuiteEntry& entry : entries) {
    const Result result = validate(entry, sources, runs, page);
    add_row(table, result, style);
    text += details(result, shown);
    json.push_back(to_json(result));
    equal = equal && result.equal();
    trouble = trouble || result.has_trouble();
  }
  std::fputs((table.text() + text).c_str(), stdout);
  page.write();
  if (arguments.has("json")) simulator::write_file(arguments.value("json"), json.dump(1) + "\n");
  return trouble ? kTrouble : equal ? 0 : kDifferent;
}

}  // namespace heddle::cli
