#include "cli/program_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cli/command.hpp"
#include "cli/input_file.hpp"
#include "cli/layout.hpp"
#include "cli/source_program.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/text.hpp"
#include "gpu/runtime/losses.hpp"
#include "gpu/runtime/program_check.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> environment_for(const ProgramOptions& options,
                                                   const fs::path& streams) {
  const fs::path folder = runtime_directory();
  std::string library;
  for (const char* each : {"libheddle_redirect.so", "libcudart.so.13", "libcudart.so.12",
                           "libcuda.so.1", "libnvidia-ml.so.1"})
    library += (library.empty() ? "" : ":") + (folder / each).string();
  const char* preloaded = std::getenv("LD_PRELOAD");
  const char* searched = std::getenv("LD_LIBRARY_PATH");
  const char* imported = std::getenv("PYTHONPATH");
  // Stand-ins of cuBLAS and its like; and where Triton looks for libcuda.so.1, to link with it.
  const std::string libraries = (folder / "libraries").string() + ":" + folder.string();
  const std::string modules = data_directory("python/startup").string();  // its modules say why
  runtime::Options told = options.process;
  told.record_stream = (streams / "%p").string();
  std::map<std::string, std::string> environment = runtime::environment_of(told);
  environment["LD_PRELOAD"] = preloaded != nullptr ? library + ":" + preloaded : library;
  environment["LD_LIBRARY_PATH"] = searched != nullptr ? libraries + ":" + searched : libraries;
  environment["PYTHONPATH"] = imported != nullptr ? modules + ":" + imported : modules;
  environment["HEDDLE_PARENT"] = std::to_string(getpid());
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
  std::vector<std::string> words = program;
  std::optional<SourceProgram> compiled;
  if (!options.macros.empty() && !is_cuda_source(program[0]))
    throw Usage("--define is for CUDA source (NAME.cu)");
  if (is_cuda_source(program[0])) {
    compiled.emplace(program[0], options.process.gpu, options.macros);
    words[0] = fs::path(program[0]).replace_extension().string();
  }
  const fs::path executable = compiled ? compiled->executable() : fs::path();
  const std::string file = compiled ? executable.string() : find_program(words[0]);
  const bool is_file = !file.empty() && !fs::is_directory(file);  // else it cannot be started
  const auto check = is_file ? runtime::check_program(file) : runtime::ProgramCheck();
  if (!check.refusal.empty()) throw std::runtime_error(check.refusal);
  if (!check.notice.empty()) fmt::print(stderr, "heddle: {}\n", visible_lines(check.notice));
  ProgramRun run;
  run.has_cuda = check.has_cuda;
  const TemporaryFolder streams;
  runtime::make_losses(streams.path());
  RecordFollower follower(streams.path(), options.record, options.host_time);
  run.child = run_child(words, environment_for(options, streams.path()), options.limit, options.to,
                        executable);
  run.processes = follower.finish();
  if (runtime::losses_in(streams.path()) != 0) {
    std::fputs("heddle: the program continued, but some of its results are missing; see above\n",
               stderr);
    run.child.status = kFailed;
  }
  if (run.processes.empty()) run.processes.push_back(without_launches(words));
  return run;
}

}  // namespace heddle::cli
