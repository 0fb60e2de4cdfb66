// heddle measure: a program on this machine's GPU, by gpu/cupti.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/layout.hpp"
#include "cli/record_text.hpp"
#include "simulator/base/output_target.hpp"

namespace heddle::cli {

int run_measure(const Arguments& arguments) {
  if (arguments.program.empty())
    throw Usage("give a program, as in: heddle measure ./program arguments");
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
  std::string modes = "memory,sass,counters";
  if (arguments.has("timing")) modes += ",timing";
  if (arguments.has("samples")) modes += ",sampling";
  command.insert(command.end(), {"-m", modes});
  command.emplace_back("--");
  command.insert(command.end(), arguments.program.begin(), arguments.program.end());
  const ChildResult measured = run_child(command, {}, std::nullopt);
  if (measured.status == 0)
    std::fputs(record_text(simulator::read_record(record), arguments, STDERR_FILENO).c_str(),
               stderr);
  return measured.interrupted != 0 ? kSignalled + measured.interrupted : measured.status;
}

}  // namespace heddle::cli
