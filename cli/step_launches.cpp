#include "cli/step_launches.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "cli/limits.hpp"
#include "cli/program_run.hpp"
#include "cli/reconvergence.hpp"
#include "cli/selection.hpp"
#include "cli/sketch_file.hpp"
#include "cli/sketch_run.hpp"
#include "cli/source_files.hpp"
#include "simulator/base/display_names.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

// The program's launches as capsules in `folder`: it runs once as heddle run runs it.
int capture(const Arguments& arguments, const fs::path& folder) {
  ProgramOptions options;
  options.process.gpu = arguments.value("gpu");
  options.process.launches.reconvergence = chosen_reconvergence(arguments);
  options.process.launches.max_instructions =
      arguments.number("max-instructions", kAny).value_or(0);
  options.process.capture_directory = folder.string();
  options.process.progress = true;
  if (const auto seconds = arguments.number("timeout", kMostSeconds))
    options.limit = std::chrono::seconds(*seconds);
  const ChildResult child = run_on_model(arguments.program, options).child;
  if (!child.started) throw Ended{child.status};
  if (child.timed_out) {
    fmt::print(stderr, "heddle: ended after {} seconds (--timeout)\n", arguments.value("timeout"));
    throw Ended{kLimit};
  }
  if (fs::is_empty(folder)) throw Usage(fmt::format("{} launched no kernel", arguments.program[0]));
  return child.status;
}

}  // namespace

// Each sketch's launches have a folder of their own.
fs::path StepLaunches::sketch_folder(const std::string& word) const {
  return captured_.path() / fs::path(word).filename();
}

StepLaunches::StepLaunches(const Arguments& arguments) : arguments_(arguments) {
  if (arguments.program.empty()) {
    for (const std::string& word : arguments.words) {
      if (is_sketch(word)) capture_sketch(word, arguments, sketch_folder(word));
      for (const fs::path& file :
           validation::find_capsules(is_sketch(word) ? sketch_folder(word) : fs::path(word)))
        files_.push_back(file);
    }
  } else {
    status_ = capture(arguments, captured_.path());
    files_ = validation::find_capsules(captured_.path());
  }
}

void StepLaunches::for_chosen(const std::function<void(const Chosen&)>& visit) const {
  const simulator::KernelFilter filter = kernel_filter(arguments_);
  std::uint64_t skip = arguments_.number("launch-skip", kAny).value_or(0);
  std::uint64_t left = arguments_.number("launch-count", kAny).value_or(kAny);
  std::vector<std::string> others;
  for (std::size_t i = 0; i < files_.size() && left != 0; ++i) {
    const Chosen chosen{runtime::load_capsule(files_[i], arguments_.value("gpu")), files_[i],
                        validation::launch_index(files_[i], i)};
    if (!filter.matches(chosen.capsule.kernel)) {
      others.push_back(chosen.capsule.kernel);
      continue;
    }
    if (skip != 0) {
      --skip;
      continue;
    }
    --left;
    visit(chosen);
  }
  if (!files_.empty() && others.size() == files_.size())
    no_such_kernel(arguments_.value("kernel"), others);
}

std::vector<fs::path> StepLaunches::chosen_files() const {
  std::vector<fs::path> files;
  for_chosen([&](const Chosen& chosen) { files.push_back(chosen.file); });
  return files;
}

std::vector<fs::path> source_folders(const Arguments& arguments) {
  std::vector<fs::path> folders;
  if (arguments.has("source-folder")) folders.emplace_back(arguments.value("source-folder"));
  if (!arguments.program.empty()) {
    folders.push_back(kAsWritten);
    folders.push_back(fs::current_path());
  }
  for (const fs::path word : arguments.words)
    folders.push_back(fs::is_directory(word) ? word : fs::absolute(word).parent_path());
  return folders;
}

}  // namespace heddle::cli
