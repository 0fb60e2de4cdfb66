#include "cli/suite_model.hpp"

#include <fmt/format.h>

#include "cli/program_run.hpp"
#include "cli/temporary_folder.hpp"
#include "simulator/base/file.hpp"
#include "simulator/launch/timing_options.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

using validation::SuiteEntry;

SuiteRun run_program(const SuiteEntry& entry, const SuiteSources& sources) {
  const TemporaryFolder folder;
  std::vector<std::string> program = {(sources.programs / entry.program_name(kSuiteArch)).string()};
  program.insert(program.end(), entry.arguments.begin(), entry.arguments.end());
  ProgramOptions options;
  options.threads = sources.threads;
  options.timing = sources.timing;
  options.per_instruction = true;
  options.counters = options.memory_digests = sources.timing.empty();
  options.to = {.output = folder.path() / "stdout", .errors = folder.path() / "stderr"};
  constexpr std::chrono::minutes kLimit{10};
  options.limit = kLimit;
  const ProgramRun run = run_on_model(program, options);
  if (run.child.status != 0)
    throw std::runtime_error(fmt::format("the program ended with status {}:\n{}", run.child.status,
                                         simulator::read_file(options.to.errors, kMostOutput)));
  if (run.processes.size() != 1) throw std::runtime_error("several processes launched kernels");
  return {run.processes[0].record, simulator::read_file(options.to.output, kMostOutput)};
}

SuiteRun replay_capsules(const SuiteEntry& entry, const SuiteSources& sources) {
  const bool counts = sources.timing.empty();
  validation::ReplayOptions options;
  options.threads = sources.threads;
  options.per_instruction = true;
  options.counters = options.memory_digests = counts;
  if (!counts) options.timing = simulator::timing::parse_options(sources.timing);
  const auto capsules = validation::find_capsules(sources.capsules / entry.record_name(kSuiteArch));
  return {validation::replay(capsules, options).record, {}};
}

}  // namespace

std::filesystem::path times_of(const SuiteEntry& entry, const SuiteSources& sources) {
  return sources.records / "timing" / (entry.record_name(kSuiteArch) + ".json.zst");
}

SuiteRun run_entry(const SuiteEntry& entry, const SuiteSources& sources) {
  return sources.programs.empty() ? replay_capsules(entry, sources) : run_program(entry, sources);
}

}  // namespace heddle::cli
