#include "cli/program_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "cli/layout.hpp"
#include "cli/temporary_folder.hpp"
#include "gpu/runtime/program_check.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> environment_for(const ProgramOptions& options,
                                                   const fs::path& streams) {
  const fs::path folder = runtime_directory();
  const std::string library =
      (folder / "libcudart.so.13").string() + ":" + (folder / "libcuda.so.1").string();
  const char* preloaded = std::getenv("LD_PRELOAD");
  std::map<std::string, std::string> environment = {
      {"LD_PRELOAD", preloaded != nullptr ? library + ":" + preloaded : library},
      {"HEDDLE_PARENT", std::to_string(getpid())},
      {"HEDDLE_RECORD_STREAM", (streams / "%p").string()},
      {"HEDDLE_CHECK", options.checks},
      {"HEDDLE_COUNTERS", options.counters ? "1" : "0"},
      {"HEDDLE_PER_PC", options.per_instruction ? "1" : "0"},
      {"HEDDLE_MEMORY_DIGESTS", options.memory_digests ? "1" : "0"}};
  if (options.progress) environment["HEDDLE_PROGRESS"] = "1";
  if (!options.gpu.empty()) environment["HEDDLE_GPU"] = options.gpu;
  if (options.threads) environment["HEDDLE_THREADS"] = std::to_string(*options.threads);
  if (options.max_instructions)
    environment["HEDDLE_MAX_INSTRUCTIONS"] = std::to_string(*options.max_instructions);
  if (options.max_memory) environment["HEDDLE_MAX_MEMORY"] = std::to_string(*options.max_memory);
  if (!options.timing.empty()) environment["HEDDLE_TIMED"] = options.timing;
  if (!options.reconvergence.empty()) environment["HEDDLE_RECONVERGENCE"] = options.reconvergence;
  if (!options.capture.empty()) environment["HEDDLE_CAPTURE"] = options.capture;
  if (!options.trace.empty()) environment["HEDDLE_TRACE_REQUEST"] = options.trace;
  return environment;
}

// Of a program that launched nothing; which GPU it would have run on is not known.
ProcessRecord without_launches(const std::vector<std::string>& program) {
  ProcessRecord result;
  result.record.source = "model";
  result.record.program = program;
  return result;
}

}  // namespace

ProgramRun run_on_model(const std::vector<std::string>& program, const ProgramOptions& options) {
  if (const std::string file = find_program(program[0]); !file.empty()) {
    const runtime::ProgramCheck check = runtime::check_program(file);
    if (!check.refusal.empty()) throw std::runtime_error(check.refusal);
    if (!check.notice.empty()) fmt::print(stderr, "heddle: {}\n", check.notice);
  }
  const TemporaryFolder streams;
  RecordFollower follower(streams.path(), options.record);
  ProgramRun run;
  run.child =
      run_child(program, environment_for(options, streams.path()), options.limit, options.to);
  run.processes = follower.finish();
  if (run.processes.empty()) run.processes.push_back(without_launches(program));
  return run;
}

}  // namespace heddle::cli
