// heddle run: a CUDA program on the model.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/accelsim_run.hpp"
#include "cli/commands.hpp"
#include "cli/conditions.hpp"
#include "cli/cubin_run.hpp"
#include "cli/input_file.hpp"
#include "cli/launch_settings.hpp"
#include "cli/limits.hpp"
#include "cli/program_run.hpp"
#include "cli/reconvergence.hpp"
#include "cli/record_text.hpp"
#include "cli/run_report.hpp"
#include "cli/selection.hpp"
#include "cli/sketch_file.hpp"
#include "cli/sketch_run.hpp"
#include "cli/sketch_what_if.hpp"
#include "cli/temporary_folder.hpp"
#include "gpu/runtime/options.hpp"
#include "gpu/runtime/progress_line.hpp"
#include "gpu/runtime/system.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/base/file.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 47;  // bytes

// Two processes may not write one file: they need %p in its name.
void refuse_shared_files(const std::vector<ProcessRecord>& records, const Arguments& arguments) {
  for (const char* option : {"record", "csv"})
    if (records.size() > 1 && arguments.has(option) &&
        arguments.value(option).find("%p") == std::string::npos)
      throw std::runtime_error(
          fmt::format("{} processes launched kernels: --{} needs %p in the file's name, which "
                      "becomes the process",
                      records.size(), option));
}

traces::TraceRequest trace_request(const Arguments& arguments) {
  traces::TraceRequest request;
  for (const char* option :
       {"trace", "trace-kernel", "trace-block", "trace-warp", "trace-pc", "trace-line",
        "trace-changes", "trace-from", "trace-count", "trace-values"})
    if (arguments.has(option)) request[option] = arguments.value(option);
  if (!request.empty() && !request.contains("trace"))
    throw Usage(fmt::format("--{} needs --trace", request.begin()->first));
  return request;
}

// A filter that no launch of a whole run meets is a mistake. Throws Usage.
void check_traced(const Arguments& arguments, std::span<const ProcessRecord> processes) {
  const traces::TraceOptions options = traces::trace_options(trace_request(arguments));
  const simulator::KernelFilter filter(options.kernel);
  std::vector<std::string> kernels;
  std::uint64_t traced = 0, blocks = 0, warps = 0;
  for (const ProcessRecord& process : processes)
    for (const simulator::LaunchRecord& launch : process.record.launches) {
      kernels.push_back(launch.kernel);
      if (!filter.matches(launch.kernel)) continue;
      ++traced;
      blocks = std::max<std::uint64_t>(blocks, launch.grid.count());
      warps = std::max<std::uint64_t>(
          warps, (launch.block.count() + simulator::kWarpSize - 1) / simulator::kWarpSize);
    }
  if (kernels.empty()) return;
  if (traced == 0) no_such_kernel(options.kernel, kernels);
  const auto check = [](const char* option, const traces::Ranges& wanted, std::uint64_t there,
                        const char* what) {
    if (wanted.least() >= there)
      throw Usage(fmt::format("--{}: no {} {}; they are numbered 0 to {}", option, what,
                              wanted.least(), there - 1));
  };
  check("trace-block", options.blocks, blocks, "block");
  check("trace-warp", options.warps, warps, "warp");
}

// Advice is a trace, written to files that are shown behind the record.
void ask_for_advice(const Arguments& arguments, traces::TraceRequest& request,
                    const fs::path& folder) {
  if (!request.empty()) throw Usage("--advice and --trace cannot be given together");
  for (const char* option : {"launch-skip", "launch-count"})
    if (arguments.has(option))
      throw Usage(fmt::format("--advice covers all launches of a kernel: leave out --{}", option));
  request["trace"] = fmt::format("advice={}", (folder / "%p").string());
  if (arguments.has("kernel")) request["trace-kernel"] = arguments.value("kernel");
}

void show_advice(const fs::path& folder, const RunReport& report) {
  constexpr std::uint64_t kMost = 1 << 26;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) report.print(simulator::read_file(file, kMost));
}

// Null where none is asked for.
std::unique_ptr<traces::Trace> trace_here(const Arguments& arguments, const fs::path& advice) {
  traces::TraceRequest request = trace_request(arguments);
  if (arguments.has("advice")) ask_for_advice(arguments, request, advice);
  if (request.empty()) return nullptr;
  traces::TraceOptions options = traces::trace_options(request);
  options.file = runtime::expand_process(options.file, getpid());
  return traces::make_trace(options);
}

// The program may work in another folder.
std::string trace_of_program(const Arguments& arguments, const fs::path& advice) {
  traces::TraceRequest request = trace_request(arguments);
  if (arguments.has("advice")) ask_for_advice(arguments, request, advice);
  if (request.empty()) return {};
  const traces::TraceOptions options = traces::trace_options(request);
  if (!options.file.empty() && options.file != simulator::kStandardOutput)
    request["trace"] = fmt::format("{}={}", options.form, fs::absolute(options.file).string());
  return traces::encode(request);
}

bool reached_instruction_limit(const simulator::Record& record) {
  return std::ranges::any_of(record.launches, [](const simulator::LaunchRecord& launch) {
    return launch.fault_kind == "instruction_limit";
  });
}

// Of launches that the command has executed itself. Says so where it was time.
bool reached_limit(const simulator::Record& record, const Deadline& deadline,
                   const Arguments& arguments) {
  if (deadline.was_reached())
    fmt::print(stderr, "heddle: ended after {} seconds (--timeout)\n", arguments.value("timeout"));
  return deadline.was_reached() || reached_instruction_limit(record);
}

bool wants_progress(const Arguments& arguments) {
  return !arguments.has("no-progress") && !arguments.has("quiet");
}

std::vector<fs::path> capsules_of(const Arguments& arguments) {
  std::vector<fs::path> files;
  for (const std::string& word : arguments.words)
    for (const fs::path& file : validation::find_capsules(word)) files.push_back(file);
  return files;
}

// What kernels of a capsule print. Nobody vouches for it: a terminal shows it and does not obey it.
std::function<void(std::string_view)> print_of_kernels() {
  return [on_terminal = isatty(STDOUT_FILENO) == 1](std::string_view text) {
    const std::string shown = on_terminal ? visible_lines(text) : std::string(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);  // flushed() tells if that fails
  };
}

// What a launch wrote may differ from what it wrote when it was captured: the model was another
// then, or the kernel's result depends on the order of warps.
//
// `arrays`: of the launch that a cubin's kernel was given; null: the launches were captured.
int run_capsules(const Arguments& arguments, const simulator::LaunchSettings& settings,
                 const std::vector<CubinLaunch::Array>* arrays = nullptr) {
  if (arguments.has("capture") && arrays == nullptr)
    throw Usage("--capture is for programs and sketches");
  const std::vector<fs::path> files = capsules_of(arguments);
  const TemporaryFolder advice;
  const std::unique_ptr<traces::Trace> trace = trace_here(arguments, advice.path());
  std::shared_ptr<runtime::LaunchObserver> observer;
  if (wants_progress(arguments) && !trace) observer = runtime::progress_on_stderr(settings);
  if (arrays != nullptr) observer = dumping(arguments, *arrays, observer);
  Deadline deadline(arguments.number("timeout", kMostSeconds));
  validation::Replay replay =
      validation::replay(files, {.settings = settings,
                                 .per_instruction = wants_instructions(arguments),
                                 .memory_digests = arguments.has("memory"),
                                 .gpu = arguments.value("gpu"),
                                 .print = print_of_kernels(),
                                 .observer = observer,
                                 .trace = trace.get(),
                                 .go_on = [&] { return !deadline.passed(); }});
  if (arrays != nullptr) replay.memory_differences.clear();  // there was nothing to compare with
  RunReport report(arguments, false);
  const ProcessRecord whole{getpid(), std::move(replay.record), false, {}};
  if (!deadline.was_reached()) check_traced(arguments, {&whole, 1});
  report.add(whole);
  show_advice(advice.path(), report);
  for (const std::string& note : replay.notes) fmt::print(stderr, "heddle: {}\n", note);
  if (reached_limit(whole.record, deadline, arguments)) return report.finish(kLimit);
  for (const std::string& difference : replay.memory_differences)
    fmt::print(stderr, "heddle: memory is not as it was captured: {}\n", visible(difference));
  const int status = report.finish(0);
  return status == 0 && !replay.memory_differences.empty() ? kDifferent : status;
}

int run_all_reconvergences(const Arguments& arguments, const simulator::LaunchSettings& settings);

// A cubin's kernel is launched as if it had been captured.
int run_cubin(const Arguments& arguments, const simulator::LaunchSettings& settings) {
  for (const char* option : {"seed", "seeds", "predication"})
    if (arguments.has(option) && !seeds_schedule(option, arguments))
      throw Usage(fmt::format("--{} is for sketches", option));
  if (arguments.has("capture")) throw Usage("--capture is for programs and sketches");
  const TemporaryFolder folder;
  const CubinLaunch launch = make_cubin_launch(arguments, folder.path());
  Arguments replayed = arguments;
  replayed.words = {launch.capsule.string()};
  return wants_all_reconvergences(arguments) ? run_all_reconvergences(replayed, settings)
                                             : run_capsules(replayed, settings, &launch.arrays);
}

int run_sketches(const Arguments& arguments, const simulator::LaunchSettings& settings) {
  if (arguments.words.size() != 1) throw Usage("give one sketch at a time");
  if (arguments.has("seeds"))
    for (const char* option : {"csv", "per-pc", "source", "format", "verbose", "quiet", "fail-on",
                               "sarif", "junit", "kernel", "launch-skip", "launch-count"})
      if (arguments.has(option))
        throw Usage(
            fmt::format("--seeds prints means over its runs, without --{}; --record writes "
                        "the first seed's run, for heddle show",
                        option));
  if (arguments.has("capture"))
    capture_sketch(arguments.words[0], arguments, arguments.value("capture"));
  const TemporaryFolder advice;
  const std::unique_ptr<traces::Trace> trace = trace_here(arguments, advice.path());
  Deadline deadline(arguments.number("timeout", kMostSeconds));
  const SketchRun run = run_sketch(arguments.words[0], arguments, trace.get(), settings, false,
                                   [&] { return !deadline.passed(); });
  RunReport report(arguments, false);
  const ProcessRecord whole{getpid(), run.record, false, {}};
  if (!deadline.was_reached()) check_traced(arguments, {&whole, 1});
  if (run.statistics.empty()) {
    report.add(whole);
  } else {
    report.print(run.statistics);
    if (arguments.has("record"))
      simulator::write_record(run.record,
                              runtime::expand_process(arguments.value("record"), getpid()));
  }
  if (!arguments.has("quiet")) report.print(run.costs);
  show_advice(advice.path(), report);
  if (arguments.has("advice"))
    report.print(sketch_what_if(arguments.words[0], arguments, settings));
  return report.finish(reached_limit(run.record, deadline, arguments) ? kLimit : 0);
}

// A trace holds no values: it can be timed, and nothing else.
int run_traces(const Arguments& arguments, simulator::LaunchSettings settings) {
  if (arguments.value("timing") == "off") throw Usage("a trace is only timed: --timing=off");
  for (const char* option : {"advice", "memory", "capture"})
    if (arguments.has(option)) throw Usage(fmt::format("a trace is only timed: --{}", option));
  if (arguments.has("trace") && traces::trace_options(trace_request(arguments)).form != "perfetto")
    throw Usage("for a trace only the timeline can be written (--trace perfetto=FILE)");
  const std::unique_ptr<traces::Trace> trace = trace_here(arguments, {});
  if (!settings.timing) settings.timing.emplace();
  Deadline deadline(arguments.number("timeout", kMostSeconds));
  const simulator::Record record =
      run_accelsim(arguments, trace.get(), settings, [&] { return !deadline.passed(); });
  RunReport report(arguments, false);
  const ProcessRecord whole{getpid(), record, false, {}};
  if (!deadline.was_reached()) check_traced(arguments, {&whole, 1});
  report.add(whole);
  return report.finish(reached_limit(record, deadline, arguments) ? kLimit : 0);
}

unsigned wanted_gpus(const Arguments& arguments) {
  const auto wanted = arguments.number("gpus", runtime::System::kMostGpus);
  if (wanted == 0) throw Usage("--gpus 0: a program needs at least one GPU");
  return static_cast<unsigned>(wanted.value_or(1));
}

ProgramOptions program_options(const Arguments& arguments,
                               const simulator::LaunchSettings& settings, const fs::path& advice) {
  ProgramOptions options;
  options.process.gpu = arguments.value("gpu");
  options.process.launches = settings;
  options.process.max_memory = arguments.bytes("max-memory", kMostMemory).value_or(0);
  options.process.gpus = wanted_gpus(arguments);
  // The program may work in another folder.
  if (arguments.has("capture")) {
    options.process.capture_directory = fs::absolute(arguments.value("capture")).string();
    options.process.capture_kernel = arguments.value("kernel");
  }
  options.process.trace = trace_of_program(arguments, advice);
  options.process.per_pc = wants_instructions(arguments);
  options.process.memory_digests = arguments.has("memory");
  options.process.progress = wants_progress(arguments) && options.process.trace.empty();
  options.macros = arguments.values("define");
  // A record of some launches is written when all are there to choose from.
  if (!chooses_launches(arguments)) options.record = arguments.value("record");
  options.host_time = arguments.has("host-time");
  if (const auto seconds = arguments.number("timeout", kMostSeconds))
    options.limit = std::chrono::seconds(*seconds);
  return options;
}

// How a program ended that did not end by itself with status 0; empty: it did.
std::string ending_text(const ChildResult& child, const Arguments& arguments) {
  if (child.timed_out)
    return fmt::format("ended after {} seconds (--timeout)", arguments.value("timeout"));
  if (child.interrupted != 0) return "the program was interrupted";
  if (child.signal != 0)
    return fmt::format("the program was ended by signal {} ({})", child.signal,
                       strsignal(child.signal));
  return child.status == 0 ? "" : fmt::format("the program ended with status {}", child.status);
}

// The block that executes, counted from 1.
void say_running(const runtime::RunningLaunch& launch) {
  fmt::print(stderr, "heddle: running: {}, block {} of {}: its counts are not in the record\n",
             simulator::visible(simulator::display_name(launch.kernel)),
             std::min(launch.blocks_ended + 1, launch.blocks), launch.blocks);
}

void say_no_kernel(const std::string& program, const ProgramRun& run, const std::string& ending) {
  fmt::print(
      stderr, "heddle: {}\n",
      ending.empty() ? "the program launched no kernel" : ending + " before it launched a kernel");
  if (run.has_cuda) return;
  const bool searched = program.find('/') == program.npos;
  if (searched && access(program.c_str(), X_OK) == 0) {
    fmt::print(stderr, "heddle: {} is {}, which holds no CUDA code; did you mean ./{}?\n", program,
               find_program(program), program);
    return;
  }
  fmt::print(stderr,
             "heddle: {} holds no CUDA code. Build a CUDA program, and run it:\n"
             "  nvcc -arch=sm_90 -lineinfo -o program program.cu\n"
             "  heddle run ./program\n",
             program);
}

// Of the program, or of what ended it.
int status_of(const ProgramRun& run) {
  if (run.child.timed_out) return kLimit;
  if (run.child.interrupted != 0) return kSignalled + run.child.interrupted;
  const bool limited = std::ranges::any_of(
      run.processes, [](const auto& each) { return reached_instruction_limit(each.record); });
  return limited ? kLimit : run.child.status;
}

int run_program(const Arguments& arguments, const simulator::LaunchSettings& settings) {
  const TemporaryFolder advice;
  const ProgramRun run =
      run_on_model(arguments.program, program_options(arguments, settings, advice.path()));
  refuse_shared_files(run.processes, arguments);
  if (run.child.status == 0) check_traced(arguments, run.processes);  // else more might have come
  RunReport report(arguments, true);
  const bool quiet = arguments.has("quiet");
  const std::string ending = ending_text(run.child, arguments);
  const bool by_force = run.child.timed_out || run.child.signal != 0;
  bool said = !run.child.started;
  for (const ProcessRecord& each : run.processes) {
    if (run.processes.size() > 1 && !quiet) fmt::print(stderr, "process {}\n", each.process);
    report.add(each);
    if (each.running)
      say_running(*each.running);
    else if (each.record.launches.empty() && each.library_calls.empty() && !quiet && !said) {
      say_no_kernel(arguments.program[0], run, ending);
      said = true;
    }
  }
  if (by_force && !said) fmt::print(stderr, "heddle: {}\n", ending);
  show_advice(advice.path(), report);
  return report.finish(status_of(run));
}

// The launches of one run under the policy of `settings`. `status`: of the program, or of the
// launches.
ReconvergenceRun run_under(const simulator::LaunchSettings& settings, const Arguments& arguments,
                           bool is_first, Deadline& deadline, int& status) {
  const TemporaryFolder folder;
  const fs::path branches = folder.path() / "branches";
  ReconvergenceRun result;
  result.policy = *settings.reconvergence;
  if (!arguments.program.empty()) {
    ProgramOptions options = program_options(arguments, settings, folder.path());
    options.process.memory_digests = true;
    options.process.progress = false;
    options.process.trace =
        traces::encode({{"trace", fmt::format("branches={}", branches.string())}});
    if (!is_first) options.to.output = options.to.errors = "/dev/null";
    const ProgramRun run = run_on_model(arguments.program, options);
    if (run.processes.size() != 1)
      throw std::runtime_error("--reconvergence all: the program has several processes");
    status = run.child.status;
    result.record = run.processes.front().record;
  } else {
    const auto go_on = [&] { return !deadline.passed(); };
    traces::TraceOptions of_trace;
    of_trace.form = "branches";
    of_trace.file = branches.string();
    const auto trace = traces::make_trace(of_trace);
    if (is_sketch(arguments.words[0])) {
      result.record =
          run_sketch(arguments.words[0], arguments, trace.get(), settings, true, go_on).record;
    } else {
      validation::ReplayOptions options;
      options.settings = settings;
      options.memory_digests = true;
      options.gpu = arguments.value("gpu");
      options.print = [](std::string_view) {};
      if (wants_progress(arguments)) options.observer = runtime::progress_on_stderr(settings);
      options.trace = trace.get();
      options.go_on = go_on;
      result.record = validation::replay(capsules_of(arguments), options).record;
    }
    status = reached_limit(result.record, deadline, arguments) ? kLimit : 0;
  }
  result.branches = traces::read_branches(branches);
  return result;
}

// A launch that deadlocks under another policy than the first does not make the run a failure: it
// is what was asked about.
int run_all_reconvergences(const Arguments& arguments, const simulator::LaunchSettings& settings) {
  for (const char* option :
       {"trace", "advice", "record", "csv", "timing", "seeds", "capture", "format", "metrics",
        "check", "quiet", "verbose", "fail-on", "sarif", "junit"})
    if (arguments.has(option))
      throw Usage(fmt::format("--reconvergence all prints a table, without --{}", option));
  std::vector<ReconvergenceRun> runs;
  Deadline deadline(arguments.number("timeout", kMostSeconds));
  int status = 0;
  for (const simulator::ReconvergenceInfo& each : simulator::kReconvergencePolicies) {
    int ended = 0;
    simulator::LaunchSettings under = settings;
    under.reconvergence = each.policy;
    under.timing.reset();
    runs.push_back(run_under(under, arguments, runs.empty(), deadline, ended));
    if (runs.size() == 1) status = ended;
    if (deadline.was_reached()) return kLimit;
  }
  std::fputs(reconvergence_tables(runs, arguments).c_str(),
             arguments.program.empty() ? stdout : stderr);
  return status;
}

}  // namespace

int run_run(const Arguments& arguments) {
  if (arguments.has("query-metrics")) {
    std::fputs(metric_list().c_str(), stdout);
    return 0;
  }
  check_record_options(arguments);  // before anything runs
  check_report_options(arguments);
  kernel_filter(arguments);
  try {
    traces::trace_options(trace_request(arguments));
  } catch (const std::invalid_argument& bad) {
    throw Usage(bad.what());
  }
  if (arguments.has("gpu")) simulator::gpu_model(arguments.value("gpu"));
  arguments.bytes("max-memory", kMostMemory);
  wanted_gpus(arguments);
  if (arguments.program.empty() == arguments.words.empty())
    throw Usage(
        "give a program, as in: heddle run ./program arguments; or a .cu file, a cubin, capsules, "
        "a "
        "sketch, or a trace");
  const bool sketch = !arguments.words.empty() && is_sketch(arguments.words[0]);
  const bool cubin = !arguments.words.empty() && is_cubin_file(arguments.words[0]);
  if (!sketch && !cubin) refuse_sketch_options(arguments);
  if (arguments.program.empty() && arguments.has("define"))
    throw Usage("--define is for CUDA source (NAME.cu)");
  if (!cubin && arguments.has("dump")) throw Usage("--dump is for cubins");
  if (!sketch && arguments.has("gpu") &&
      simulator::gpu_model(arguments.value("gpu")).sketches_only())
    throw Usage(
        fmt::format("--gpu {}: programs of this GPU are not supported; its model runs "
                    "sketches only",
                    arguments.value("gpu")));
  const bool traced = !arguments.words.empty() && is_accelsim(arguments.words[0]);
  const simulator::LaunchSettings settings =
      launch_settings(arguments, traced || !arguments.program.empty() ? 0 : kUsualInstructions);
  if (traced) {
    if (arguments.has("reconvergence"))
      throw Usage("a trace already contains the order of lanes: leave out --reconvergence");
    if (settings.random_schedule) throw Usage("traces are timed, without --schedule random");
    return run_traces(arguments, settings);
  }
  if (cubin) return run_cubin(arguments, settings);
  if (wants_all_reconvergences(arguments)) return run_all_reconvergences(arguments, settings);
  if (sketch) return run_sketches(arguments, settings);
  return arguments.program.empty() ? run_capsules(arguments, settings)
                                   : run_program(arguments, settings);
}

}  // namespace heddle::cli
