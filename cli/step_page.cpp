#include "cli/step_page.hpp"

#include <fmt/format.h>

#include "cli/difference_lines.hpp"
#include "cli/launch_watch.hpp"
#include "cli/layout.hpp"
#include "cli/reconvergence.hpp"
#include "cli/source_files.hpp"
#include "cli/step_launches.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/variant.hpp"
#include "gpu/runtime/capsule.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/base/file.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/viewer/page.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUsualSteps = 1'000'000;
constexpr std::uint64_t kMostSteps = 100'000'000;

const simulator::LaunchRecord* same_launch(const simulator::Record& record, std::uint64_t index,
                                           const std::string& kernel) {
  for (const simulator::LaunchRecord& launch : record.launches)
    if (launch.index == index && launch.kernel == kernel) return &launch;
  return nullptr;
}

// --baseline: an earlier run; its launches stand beside those of the page.
class Baseline {
 public:
  Baseline(const std::string& words, bool timed)
      : variant_(make_variant(words, {.options = timed ? std::vector<std::string>{"--timing", "on"}
                                                       : std::vector<std::string>{},
                                      .folder = folder_.path()})) {}

  const std::string& words() const { return variant_.words; }

  // The launch of the same number and kernel; else the kernel's n-th, where this is its n-th.
  void put_beside(const simulator::LaunchRecord& now, const std::vector<fs::path>& folders,
                  traces::Beside& beside) {
    std::size_t before = seen_[now.kernel]++;
    beside.baseline = same_launch(variant_.record, now.index, now.kernel);
    for (const simulator::LaunchRecord& launch : variant_.record.launches)
      if (beside.baseline == nullptr && launch.kernel == now.kernel && before-- == 0)
        beside.baseline = &launch;
    if (beside.baseline == nullptr) {
      fmt::print(stderr, "heddle: the baseline has no launch {} of {}\n", now.index,
                 simulator::visible(simulator::demangled(now.kernel)));
      return;
    }
    beside.meaning = meaning(beside.baseline->metrics, now.metrics);
    beside.baseline_lines = lines_before(*beside.baseline, variant_.source_folders, now, folders);
  }

 private:
  const TemporaryFolder folder_;
  const Variant variant_;
  std::map<std::string, std::size_t> seen_;  // launches of each kernel
};

struct PageRequest {
  fs::path html, hardware;    // hardware: a record, or empty
  std::string baseline = {};  // as heddle diff takes a variant, or empty
  std::vector<fs::path> source_folders;
  std::uint64_t max_steps = kUsualSteps;
  std::size_t most_bytes = traces::PageOptions{}.most_bytes;
  bool timed = false;
  std::optional<simulator::ReconvergencePolicy> reconvergence = std::nullopt;
  std::vector<std::string> program = {};
};

class PageWriter {
 public:
  explicit PageWriter(PageRequest request)
      : request_(std::move(request)),
        page_({.most_bytes = request_.most_bytes,
               .source = [this](const std::string& path) { return source(path); }}) {
    if (!request_.hardware.empty()) hardware_ = simulator::read_record(request_.hardware);
    if (!request_.baseline.empty()) baseline_.emplace(request_.baseline, request_.timed);
  }

  void add(const StepLaunches::Chosen& chosen, LaunchWatch& watch) {
    runtime::CapsuleLaunch launch(chosen.capsule, chosen.file.string());
    device_ = launch.device().model().name;
    traces::Recorder recorder({.max_steps = request_.max_steps});
    simulator::LaunchOptions options;
    options.observer = &recorder;
    options.settings.reconvergence = request_.reconvergence;
    if (request_.timed) options.settings.timing.emplace();
    const simulator::LaunchOutcome outcome = watch.run(launch, chosen.index, options);
    const simulator::LaunchRecord record =
        simulator::make_launch_record(launch.request(), outcome, launch.device().model(),
                                      {.index = chosen.index, .per_instruction = true});
    traces::Beside beside;
    if (hardware_) beside.hardware = same_launch(*hardware_, chosen.index, record.kernel);
    if (baseline_) baseline_->put_beside(record, request_.source_folders, beside);
    if (hardware_ && beside.hardware == nullptr)
      fmt::print(stderr, "heddle: the hardware's record has no launch {} of {}\n", chosen.index,
                 simulator::visible(simulator::demangled(record.kernel)));
    page_.add(launch.request(), record, outcome, recorder, beside);
    ++launches_;
  }

  // Returns the page's bytes.
  std::size_t write() const {
    if (launches_ == 0) throw std::runtime_error("there is no such launch");
    const std::string html = page_.html({.device = device_,
                                         .hardware_device = hardware_ ? hardware_->device : "",
                                         .baseline = baseline_ ? baseline_->words() : "",
                                         .program = request_.program});
    simulator::write_file(request_.html, html);
    return html.size();
  }

  // Of a page whose code has line numbers and none of their files was found.
  std::string missing_source() const { return found_source_ ? std::string() : missing_source_; }

 private:
  std::optional<std::string> source(const std::string& path) {
    std::optional<std::string> text = source_text(path, request_.source_folders);
    if (text)
      found_source_ = true;
    else if (missing_source_.empty())
      missing_source_ = path;
    return text;
  }

  const PageRequest request_;
  std::string missing_source_;
  bool found_source_ = false;
  traces::Page page_;
  std::optional<simulator::Record> hardware_;
  std::optional<Baseline> baseline_;
  std::string device_;
  std::size_t launches_ = 0;
};

}  // namespace

int write_step_page(const Arguments& arguments) {
  if (traces::page_template().empty())
    throw std::runtime_error(
        "this build has no viewer: run scripts/setup.sh, which fetches its build tools, and "
        "build again");
  PageRequest request;
  request.html = arguments.value("html");
  request.hardware = arguments.value("hardware");
  request.baseline = arguments.value("baseline");
  request.source_folders = source_folders(arguments);
  request.max_steps = arguments.number("steps", kMostSteps).value_or(kUsualSteps);
  request.timed = arguments.value("timing") == "on";
  request.reconvergence = chosen_reconvergence(arguments);
  request.program = arguments.program;
  PageWriter writer(request);  // before anything runs: it reads the hardware's record
  const StepLaunches launches(arguments);
  LaunchWatch watch(arguments);
  launches.for_chosen([&](const StepLaunches::Chosen& chosen) {
    if (!watch.reached_limit()) writer.add(chosen, watch);
  });
  constexpr double kMegabyte = 1e6;
  fmt::print(stderr, "heddle: wrote {}, {:.1f} MB\n", request.html.string(),
             static_cast<double>(writer.write()) / kMegabyte);
  if (const std::string missing = writer.missing_source(); !missing.empty())
    fmt::print(stderr,
               "heddle: no source file was found, such as {}; name its folder with "
               "--source-folder\n",
               simulator::visible(missing));
  return watch.reached_limit() ? kLimit : launches.status();
}

void write_capsules_page(const std::vector<fs::path>& capsules, const fs::path& hardware,
                         const fs::path& html) {
  constexpr std::uint64_t kSteps = 100'000;
  constexpr std::size_t kBytes = 4'000'000;
  PageWriter writer({.html = html,
                     .hardware = hardware,
                     .source_folders = {data_directory("gpu/kernels") / "../.."},
                     .max_steps = kSteps,
                     .most_bytes = kBytes,
                     .timed = false});
  LaunchWatch watch;
  for (std::size_t i = 0; i < capsules.size(); ++i)
    writer.add(
        {runtime::load_capsule(capsules[i]), capsules[i], validation::launch_index(capsules[i], i)},
        watch);
  writer.write();
}

}  // namespace heddle::cli
