// heddle measure: a program, or capsules by gpu/launcher, on this machine's GPU, by gpu/cupti.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/layout.hpp"
#include "cli/record_text.hpp"
#include "simulator/base/output_target.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

// The program that is measured: what the words name, or what launches the capsules they name.
std::vector<std::string> measured_program(const Arguments& arguments) {
  if (!arguments.program.empty()) return arguments.program;
  if (arguments.words.empty())
    throw Usage("give a program, as in: heddle measure ./program arguments; or capsules");
  const std::filesystem::path launcher = library_beside("heddle_launch");
  if (launcher.empty()) throw std::runtime_error("this build lacks heddle_launch");
  std::vector<std::string> program{launcher.string()};
  for (const std::string& word : arguments.words) {
    const auto files = validation::find_capsules(word);
    if (files.empty()) throw Usage(fmt::format("{}: no capsule", word));
    for (const auto& file : files) program.push_back(file.string());
  }
  return program;
}

}  // namespace

int run_measure(const Arguments& arguments) {
  const std::vector<std::string> program = measured_program(arguments);
  check_record_options(arguments);
  const std::string record = arguments.value("record", "hardware.json");
  simulator::check_output(record);
  std::vector<std::string> command = {(data_directory("gpu/cupti") / "measure.sh").string(), "-o",
                                      record};
  constexpr std::uint64_t kMostRepeats = 1000, kMostSeconds = 1000000;
  if (const auto repeat = arguments.number("repeat", kMostRepeats))
    command.insert(command.end(), {"-r", std::to_string(*repeat)});
  if (const auto seconds = arguments.number("timeout", kMostSeconds))
    command.insert(command.end(), {"-t", std::to_string(*seconds)});
  // Capsules' memory is compared by what launches them.
  std::string modes = arguments.program.empty() ? "sass,counters" : "memory,sass,counters";
  if (arguments.has("timing")) modes += ",timing";
  if (arguments.has("samples")) modes += ",sampling";
  command.insert(command.end(), {"-m", modes});
  command.emplace_back("--");
  command.insert(command.end(), program.begin(), program.end());
  const ChildResult measured = run_child(command, {}, std::nullopt);
  if (measured.status == 0)
    std::fputs(record_text(read_shown_record(record), arguments, STDERR_FILENO).c_str(), stderr);
  return measured.interrupted != 0 ? kSignalled + measured.interrupted : measured.status;
}

}  // namespace heddle::cli
