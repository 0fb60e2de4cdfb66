#include "cli/step_page.hpp"

#include <fmt/format.h>

#include "cli/source_files.hpp"
#include "cli/step_launches.hpp"
#include "gpu/runtime/capsule.hpp"
#include "simulator/file.hpp"
#include "simulator/metrics.hpp"
#include "simulator/names.hpp"
#include "traces/page.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kUsualSteps = 1'000'000;
constexpr std::uint64_t kMostSteps = 100'000'000;

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

  void add(const StepLaunches::Chosen& chosen) {
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
  const StepLaunches launches(arguments);
  launches.for_chosen([&](const StepLaunches::Chosen& chosen) { writer.add(chosen); });
  writer.write(arguments);
  return launches.status();
}

}  // namespace heddle::cli
