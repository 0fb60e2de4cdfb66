// heddle simplify: a sketch derived from each kernel of a program, or of capsules.
#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "cli/commands.hpp"
#include "cli/launch_watch.hpp"
#include "cli/step_launches.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/base/file.hpp"
#include "traces/analysis/simplify.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::string simplified(const StepLaunches::Chosen& chosen, const std::string& name,
                       const std::string& described, LaunchWatch& watch) {
  runtime::CapsuleLaunch launch(chosen.capsule, chosen.file.string());
  const isa::Program& program = launch.request().module->program();
  traces::BranchProfile profile(program);
  const simulator::LaunchOutcome outcome =
      watch.run(launch, chosen.index, {.print = [](std::string_view) {}, .observer = &profile});
  if (watch.reached_limit()) throw traces::NotSimplified("its launch did not end by itself");
  if (outcome.fault) throw traces::NotSimplified(outcome.fault->message());
  return traces::simplify(launch.request(), profile, name, described);
}

}  // namespace

int run_simplify(const Arguments& arguments) {
  if (arguments.program.empty() == arguments.words.empty())
    throw Usage("give a program, as in: heddle simplify ./program arguments; or capsules");
  const StepLaunches launches(arguments);
  std::set<std::string> seen, names;
  std::string text;
  int status = 0;
  LaunchWatch watch(arguments);
  launches.for_chosen([&](const StepLaunches::Chosen& chosen) {
    const runtime::Capsule& capsule = chosen.capsule;
    // The first launch of each kernel: the others would be kernels of the same name.
    if (watch.reached_limit() || !seen.insert(capsule.kernel).second) return;
    const std::string kernel = simulator::demangled(capsule.kernel);
    const std::string origin = arguments.program.empty()
                                   ? chosen.file.filename().string()
                                   : fs::path(arguments.program[0]).filename().string();
    // Kernels of one template differ in their arguments alone.
    std::string name = traces::sketch_name(capsule.kernel);
    for (unsigned i = 2; !names.insert(name).second; ++i)
      name = fmt::format("{}_{}", traces::sketch_name(capsule.kernel), i);
    try {
      text += simplified(chosen, name, fmt::format("{}, {}", kernel, origin), watch) + "\n";
    } catch (const traces::NotSimplified& why) {
      fmt::print(stderr, "heddle: {} is not simplified: {}\n", simulator::visible(kernel),
                 why.what());
      status = kDifferent;
    }
  });
  if (seen.empty()) throw Usage("--launch-skip and --launch-count leave no launch");
  if (watch.reached_limit()) status = kLimit;
  if (text.empty()) return status;
  if (arguments.has("output"))
    simulator::write_file(arguments.value("output"), text);
  else
    std::fputs(text.c_str(), stdout);
  return status;
}

}  // namespace heddle::cli
