#include "cli/accelsim_run.hpp"

#include <filesystem>
#include <vector>

#include "cli/record_text.hpp"
#include "cli/selection.hpp"
#include "gpu/runtime/progress_line.hpp"
#include "traces/formats/accelsim_launch.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> traces_named(const Arguments& arguments) {
  std::vector<fs::path> files;
  for (const std::string& word : arguments.words) {
    if (!is_accelsim(word))
      throw Usage(word + ": traces can only be given with other traces (NAME.g, NAME.traceg)");
    if (!word.ends_with(".g")) {
      files.emplace_back(word);
      continue;
    }
    const std::vector<fs::path> listed = traces::read_accelsim_list(word);
    if (listed.empty()) throw std::runtime_error(word + ": lists no kernel's trace");
    files.insert(files.end(), listed.begin(), listed.end());
  }
  return files;
}

}  // namespace

bool is_accelsim(const std::string& word) {
  return word.ends_with(".g") || word.ends_with(".traceg");
}

simulator::Record run_accelsim(const Arguments& arguments, traces::Trace* trace,
                               const simulator::LaunchSettings& settings,
                               const std::function<bool()>& go_on) {
  const auto progress = arguments.has("no-progress") || trace != nullptr
                            ? nullptr
                            : runtime::progress_on_stderr(settings);
  const simulator::GpuModel* gpu =
      arguments.has("gpu") ? &simulator::gpu_model(arguments.value("gpu")) : nullptr;
  simulator::timing::DeviceTime time;
  simulator::Record record;
  record.source = "model";
  for (const std::string& word : arguments.words) record.program.push_back(word);
  std::uint64_t index = 0;
  for (const fs::path& file : traces_named(arguments)) {
    if (!go_on()) break;
    traces::AccelsimLaunch launch(file);
    if (gpu == nullptr) gpu = &traces::accelsim_gpu(launch.kernel().binary_version);
    launch.place_on(*gpu);
    simulator::LaunchOptions options;
    options.settings = settings;
    if (trace != nullptr) options.observer = trace->begin_launch(index, launch.request(), *gpu);
    if (progress) progress->before(launch.device(), launch.request());
    options.watch = [&](const auto& state) {
      return (!progress || progress->during(state)) && go_on();
    };
    const simulator::LaunchOutcome outcome = launch.time(options, time);
    if (options.observer != nullptr) trace->end_launch(outcome);
    if (progress) progress->after(launch.device(), launch.request(), outcome);
    record.launches.push_back(simulator::make_launch_record(
        launch.request(), outcome, *gpu,
        {.index = index++, .per_instruction = wants_instructions(arguments), .memory = nullptr}));
  }
  if (gpu != nullptr) {
    record.device = gpu->name;
    record.arch = isa::name(gpu->arch);
  }
  return record;
}

}  // namespace heddle::cli
