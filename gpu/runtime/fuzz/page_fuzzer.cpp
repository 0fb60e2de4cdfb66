// A capsule's launch, written down step by step for the page of heddle step --html, or traced.
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include "gpu/runtime/fuzz/capsule_input.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/formats/trace.hpp"
#include "traces/viewer/page.hpp"
#include "traces/viewer/recorder.hpp"

namespace {

using namespace heddle;
namespace fs = std::filesystem;

constexpr std::uint64_t kWarpInstructions = 2000;

simulator::LaunchOptions options_of(simulator::Observer* observer) {
  simulator::LaunchOptions options;
  options.settings.max_instructions = kWarpInstructions;
  options.observer = observer;
  options.print = [](std::string_view) {};
  return options;
}

void write_page(const runtime::Capsule& capsule) {
  runtime::CapsuleLaunch launch(capsule, "fuzz");
  traces::Recorder recorder({.max_steps = kWarpInstructions / 2});
  const simulator::LaunchOutcome outcome = launch.run(options_of(&recorder));
  const simulator::LaunchRecord record = simulator::make_launch_record(
      launch.request(), outcome, launch.device().model(), {.index = 0, .per_instruction = true});
  traces::Page page({.source = [](const std::string&) { return "first\nsecond\n"; }});
  page.add(launch.request(), record, outcome, recorder, {});
  if (!traces::page_template().empty())
    page.html({.device = "GPU", .hardware_device = {}, .baseline = {}, .program = {"fuzz"}});
}

// A folder of this process's own, removed when it ends.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "heddle-fuzz.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
  }
  ~Scratch() { fs::remove_all(folder_); }
  fs::path file() const { return folder_ / "trace"; }

 private:
  fs::path folder_;
};

void write_trace(const runtime::Capsule& capsule, std::string_view form) {
  static const Scratch scratch;
  runtime::CapsuleLaunch launch(capsule, "fuzz");
  const auto trace = traces::make_trace(
      traces::trace_options({{"trace", std::string(form) + "=" + scratch.file().string()}}));
  simulator::Observer* const observer =
      trace->begin_launch(0, launch.request(), launch.device().model());
  const simulator::LaunchOutcome outcome = launch.run(options_of(observer));
  if (observer != nullptr) trace->end_launch(outcome);
}

}  // namespace

HEDDLE_CAPSULE_TARGET(capsule) {
  constexpr std::string_view kForms[] = {"text", "perfetto", "advice", "branches"};
  const std::uint64_t choices = runtime::choices_of(capsule);
  if (choices % 2 == 0)
    write_page(capsule);
  else
    write_trace(capsule, kForms[choices / 2 % std::size(kForms)]);
}
