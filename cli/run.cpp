// heddle run: a CUDA program on the model.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/launch_text.hpp"
#include "cli/layout.hpp"
#include "cli/record_text.hpp"
#include "cli/selection.hpp"
#include "gpu/runtime/options.hpp"
#include "gpu/runtime/program_check.hpp"
#include "gpu/runtime/record_stream.hpp"
#include "simulator/file.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostThreads = 4096;
constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 62;

// A folder that goes when it is done with.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "heddle-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error(fmt::format("{}: cannot be created", pattern));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct ProcessRecord {
  long process = 0;
  simulator::Record record;
};

std::map<std::string, std::string> environment_for(const Arguments& arguments,
                                                   const fs::path& streams) {
  const std::string library = (runtime_directory() / "libcudart.so.13").string();
  const char* preloaded = std::getenv("LD_PRELOAD");
  std::map<std::string, std::string> environment = {
      {"LD_PRELOAD", preloaded != nullptr ? library + ":" + preloaded : library},
      {"HEDDLE_RECORD_STREAM", (streams / "%p").string()},
      {"HEDDLE_PER_PC", wants_instructions(arguments) ? "1" : "0"},
      {"HEDDLE_MEMORY_DIGESTS", arguments.has("memory") ? "1" : "0"}};
  const auto pass_on = [&](const char* option, const char* variable) {
    if (arguments.has(option)) environment[variable] = arguments.value(option);
  };
  pass_on("gpu", "HEDDLE_GPU");
  pass_on("threads", "HEDDLE_THREADS");
  pass_on("max-instructions", "HEDDLE_MAX_INSTRUCTIONS");
  pass_on("capture", "HEDDLE_CAPTURE");
  return environment;
}

// What each process of the program launched, in order of process number.
std::vector<ProcessRecord> read_streams(const fs::path& folder) {
  std::vector<ProcessRecord> records;
  for (const auto& entry : fs::directory_iterator(folder))
    records.push_back(
        {std::stol(entry.path().filename().string()), runtime::read_record_stream(entry.path())});
  std::ranges::sort(records, {}, &ProcessRecord::process);
  std::erase_if(records, [](const ProcessRecord& each) { return each.record.launches.empty(); });
  return records;
}

void show_and_write(const ProcessRecord& each, const Arguments& arguments) {
  std::fputs(record_text(each.record, arguments, STDERR_FILENO).c_str(), stderr);
  const auto path = [&](const char* option) {
    return runtime::expand_process(arguments.value(option), each.process);
  };
  if (arguments.has("record")) simulator::write_record(each.record, path("record"));
  if (arguments.has("csv"))
    simulator::write_file(path("csv"),
                          csv(chosen_launches(each.record, arguments), chosen_metrics(arguments)));
}

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

// What a launch wrote may differ from what it wrote when it was captured: the model was another
// then, or the kernel's result depends on the order of warps.
int run_capsules(const Arguments& arguments) {
  std::vector<fs::path> files;
  for (const std::string& word : arguments.words)
    for (const fs::path& file : validation::find_capsules(word)) files.push_back(file);
  const validation::Replay replay = validation::replay(
      files,
      {.threads = static_cast<unsigned>(arguments.number("threads", kMostThreads).value_or(1)),
       .max_instructions = arguments.number("max-instructions", kMostInstructions).value_or(0),
       .per_instruction = wants_instructions(arguments),
       .memory_digests = arguments.has("memory"),
       .print = [](std::string_view text) { fmt::print("{}", text); }});
  show_and_write({getpid(), replay.record}, arguments);
  for (const std::string& difference : replay.memory_differences)
    fmt::print(stderr, "heddle: memory is not as it was captured: {}\n", difference);
  const bool faulted = std::ranges::any_of(
      replay.record.launches, [](const auto& launch) { return !launch.fault.empty(); });
  return faulted || !replay.memory_differences.empty() ? kDifferent : 0;
}

int run_program(const Arguments& arguments) {
  const std::string file = find_program(arguments.program[0]);
  if (!file.empty()) {
    if (const auto refusal = runtime::check_program(file)) {
      fmt::print(stderr, "heddle: {}\n", *refusal);
      return kFailed;
    }
  }
  std::optional<std::chrono::milliseconds> limit;
  constexpr std::uint64_t kMostSeconds = 1000000;
  if (const auto seconds = arguments.number("timeout", kMostSeconds))
    limit = std::chrono::seconds(*seconds);
  const TemporaryFolder streams;
  const ChildResult child =
      run_child(arguments.program, environment_for(arguments, streams.path()), limit);
  const std::vector<ProcessRecord> records = read_streams(streams.path());
  refuse_shared_files(records, arguments);
  for (const ProcessRecord& each : records) {
    if (records.size() > 1) fmt::print(stderr, "process {}\n", each.process);
    show_and_write(each, arguments);
  }
  if (records.empty()) fmt::print(stderr, "heddle: the program launched no kernel\n");
  if (child.timed_out) {
    fmt::print(stderr, "heddle: ended after {} seconds (--timeout)\n", arguments.value("timeout"));
    return kLimit;
  }
  return child.interrupted ? kInterrupted : child.status;
}

}  // namespace

int run_run(const Arguments& arguments) {
  if (arguments.has("query-metrics")) {
    std::fputs(metric_list().c_str(), stdout);
    return 0;
  }
  check_record_options(arguments);  // before anything runs
  if (arguments.has("gpu")) simulator::gpu_model(arguments.value("gpu"));
  arguments.number("threads", kMostThreads);
  arguments.number("max-instructions", kMostInstructions);
  if (arguments.program.empty() == arguments.words.empty())
    throw Usage("give a program after --, as in: heddle run -- ./program arguments; or capsules");
  return arguments.program.empty() ? run_capsules(arguments) : run_program(arguments);
}

}  // namespace heddle::cli
