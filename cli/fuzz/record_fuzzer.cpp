// A record: read, shown in each form, compared with itself, written and read again.
#include <unistd.h>

#include <cstdlib>

#include "cli/comparison_text.hpp"
#include "cli/launch_text.hpp"
#include "cli/record_text.hpp"
#include "cli/selection.hpp"
#include "cli/text.hpp"
#include "isa/fuzz/input_file.hpp"
#include "simulator/base/json.hpp"
#include "validation/compare.hpp"

namespace {

using namespace heddle;

constexpr int kNoTerminal = -1;

void show(const simulator::Record& record) {
  static const std::vector<cli::Arguments> all = [] {
    const cli::Command& command = cli::find_command("show");
    std::vector<cli::Arguments> forms;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"record"},
                                                  {"--per-pc", "record"},
                                                  {"--source", "record"},
                                                  {"--format", "nvprof", "record"},
                                                  {"--format", "json", "record"}})
      forms.push_back(cli::parse(command, words));
    return forms;
  }();
  for (const cli::Arguments& arguments : all) cli::record_text(record, arguments, kNoTerminal);
  cli::csv(cli::chosen_launches(record, all.front()), cli::chosen_metrics(all.front()));
}

void read(const std::string& path) {
  const simulator::Record record = simulator::read_record(path);
  const nlohmann::ordered_json once = simulator::to_json(record);
  if (simulator::to_json(simulator::record_from_json(once, "again")) != once) std::abort();
  const validation::Comparison comparison = validation::compare(record, record);
  cli::comparison_text(comparison, cli::Style::choose("never", kNoTerminal), 20);
  show(record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static isa::InputFile file;
  try {
    read(file.holding({data, size}));
  } catch (const std::runtime_error&) {
  }
  return 0;
}
