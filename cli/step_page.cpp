#include "cli/step_page.hpp"

#include <fmt/format.h>

#include <limits>

#include "cli/layout.hpp"
#include "cli/program_run.hpp"
#include "cli/source_files.hpp"
#include "cli/temporary_folder.hpp"
#include "gpu/runtime/capsule.hpp"
#include "simulator/file.hpp"
#include "simulator/metrics.hpp"
#include "simulator/names.hpp"
#include "traces/page.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kUsualSteps = 1'000'000;
constexpr std::uint64_t kMostSteps = 100'000'000;

// The program's launches as capsules in `folder`: it runs once as heddle run runs it.
int capture(const Arguments& arguments, const fs::path& folder) {
  ProgramOptions options;
  options.gpu = arguments.value("gpu");
  options.capture = folder.string();
  return run_on_model(arguments.program, options).child.status;
}

struct Chosen {
  runtime::Capsule capsule;
  fs::path file;
  std::uint64_t index = 0;  // of the launch in its program
};

// Those that -k, -s and -c choose.
template <typename Visit>
void for_chosen(const std::vector<fs::path>& files, const Arguments& arguments, Visit&& visit) {
  const simulator::KernelFilter filter(arguments.value("kernel"));
  std::uint64_t skip = arguments.number("launch-skip", kAny).value_or(0);
  std::uint64_t left = arguments.number("launch-count", kAny).value_or(kAny);
  for (std::size_t i = 0; i < files.size() && left != 0; ++i) {
    Chosen chosen{runtime::load_capsule(files[i]), files[i], validation::launch_index(files[i], i)};
    if (!filter.matches(chosen.capsule.kernel)) continue;
    if (skip != 0) {
      --skip;
      continue;
    }
    --left;
    visit(chosen);
  }
}

const simulator::LaunchRecord* same_launch(const simulator::Record& record, std::uint64_t index,
                                           const std::string& kernel) {
  for (const simulator::LaunchRecord& launch : record.launches)
    if (launch.index == index && launch.kernel == kernel) return &launch;
  return nullptr;
}

class PageWriter {
 public:
  explicit PageWriter(const Arguments& arguments)
      : recording_{.max_steps = arguments.number("steps", kMostSteps).value_or(kUsualSteps)},
        page_({.source = [folders = source_folders(arguments)](const std::string& path) {
          return source_text(path, folders);
        }}) {
    if (arguments.has("hardware")) hardware_ = simulator::read_record(arguments.value("hardware"));
  }

  void add(const Chosen& chosen) {
    runtime::CapsuleLaunch launch(chosen.capsule, chosen.file.string());
    device_ = launch.device().model().name;
    traces::Recorder recorder(recording_);
    simulator::LaunchOptions options;
    options.observer = &recorder;
    const simulator::LaunchOutcome outcome = launch.run(options);
    const simulator::LaunchRecord record =
        simulator::make_launch_record(launch.request(), outcome, launch.device().model(),
                                      {.index = chosen.index, .per_instruction = true});
    const auto* hardware =
        hardware_ ? same_launch(*hardware_, chosen.index, record.kernel) : nullptr;
    if (hardware_ && hardware == nullptr)
      fmt::print(stderr, "heddle: the hardware's record has no launch {} of {}\n", chosen.index,
                 simulator::visible(simulator::demangled(record.kernel)));
    page_.add(launch.request(), record, outcome, recorder, hardware);
    ++launches_;
  }

  void write(const Arguments& arguments) const {
    if (launches_ == 0) throw std::runtime_error("there is no such launch");
    const std::string html =
        page_.html(device_, hardware_ ? hardware_->device : "", arguments.program);
    simulator::write_file(arguments.value("html"), html);
    constexpr double kMegabyte = 1e6;
    fmt::print(stderr, "heddle: wrote {}, {:.1f} MB\n", arguments.value("html"),
               static_cast<double>(html.size()) / kMegabyte);
  }

 private:
  static std::vector<fs::path> source_folders(const Arguments& arguments) {
    std::vector<fs::path> folders;
    if (arguments.has("source-folder")) folders.emplace_back(arguments.value("source-folder"));
    folders.push_back(fs::current_path());
    return folders;
  }

  traces::RecorderOptions recording_;
  traces::Page page_;
  std::optional<simulator::Record> hardware_;
  std::string device_;
  std::size_t launches_ = 0;
};

}  // namespace

int write_step_page(const Arguments& arguments) {
  if (traces::page_template().empty())
    throw std::runtime_error(
        "this build has no viewer: run scripts/setup.sh, which fetches what it is made with, and "
        "build again");
  PageWriter writer(arguments);  // before anything runs: it reads the hardware's record
  const TemporaryFolder captured;
  int status = 0;
  std::vector<fs::path> files;
  if (arguments.program.empty()) {
    for (const std::string& word : arguments.words)
      for (const fs::path& file : validation::find_capsules(word)) files.push_back(file);
  } else {
    status = capture(arguments, captured.path());
    files = validation::find_capsules(captured.path());
  }
  for_chosen(files, arguments, [&](const Chosen& chosen) { writer.add(chosen); });
  writer.write(arguments);
  return status;
}

}  // namespace heddle::cli
