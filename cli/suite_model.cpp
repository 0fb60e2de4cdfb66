#include "cli/suite_model.hpp"

#include <fmt/format.h>

#include "cli/limits.hpp"
#include "cli/program_run.hpp"
#include "cli/temporary_folder.hpp"
#include "simulator/base/file.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

using validation::SuiteEntry;

simulator::LaunchSettings settings_for(const SuiteSources& sources) {
  simulator::LaunchSettings settings = sources.settings;
  settings.counters = !settings.timing;
  return settings;
}

SuiteRun run_program(const SuiteEntry& entry, const SuiteSources& sources) {
  const TemporaryFolder folder;
  std::vector<std::string> program = {(sources.programs / entry.program_name(kSuiteArch)).string()};
  program.insert(program.end(), entry.arguments.begin(), entry.arguments.end());
  ProgramOptions options;
  options.process.launches = settings_for(sources);
  options.process.per_pc = true;
  options.process.memory_digests = !sources.settings.timing;
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
  validation::ReplayOptions options;
  options.settings = settings_for(sources);
  if (options.settings.max_instructions == 0)
    options.settings.max_instructions = kUsualInstructions;
  options.per_instruction = true;
  options.memory_digests = !sources.settings.timing;
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
