// heddle calibrate: the timing constants of a GPU model from the records of its microbenchmarks.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/layout.hpp"
#include "cli/text.hpp"
#include "simulator/base/file.hpp"
#include "simulator/models/gpu_model.hpp"
#include "validation/calibration.hpp"

namespace heddle::cli {

int run_calibrate(const Arguments& arguments) {
  if (!arguments.words.empty()) throw Usage("takes options only");
  const std::filesystem::path folder =
      arguments.has("records")
          ? std::filesystem::path(arguments.value("records"))
          : data_directory("validation/records") / simulator::reference_model().id / "micro";
  const validation::MicroRecords records = validation::read_micro_records(folder);
  if (!arguments.has("model")) {
    Table table({"constant", "value", "where from"});
    for (const validation::Calibrated& constant : validation::calibrate(records))
      table.add({constant.name, fmt::format("{}", constant.value), constant.source});
    std::fputs(table.text().c_str(), stdout);
    return 0;
  }
  constexpr std::uint64_t kMostBytes = 1 << 20;
  const std::string file = arguments.value("model");
  const std::string before = simulator::read_file(file, kMostBytes);
  const std::string after = validation::calibrated_model(before, records);
  if (after == before) {
    fmt::print("{}: up to date\n", file);
    return 0;
  }
  simulator::write_file(file, after);
  fmt::print("{}: written\n", file);
  return 0;
}

}  // namespace heddle::cli
