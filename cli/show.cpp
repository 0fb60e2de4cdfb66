// heddle show: a record that was written before, from the model or from hardware.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/launch_text.hpp"
#include "cli/record_text.hpp"
#include "cli/run_report.hpp"
#include "cli/selection.hpp"
#include "simulator/base/file.hpp"

namespace heddle::cli {

int run_show(const Arguments& arguments) {
  if (arguments.has("query-metrics")) {
    std::fputs(metric_list().c_str(), stdout);
    return 0;
  }
  if (arguments.words.size() != 1) throw Usage("give one record");
  check_record_options(arguments);
  const simulator::Record record = read_shown_record(arguments.words[0]);
  const bool to_stdout = std::ranges::any_of(
      std::initializer_list<const char*>{"csv", "sarif", "junit"},
      [&](const char* option) { return arguments.value(option) == simulator::kStandardOutput; });
  if (!to_stdout)  // a file of another form on its own
    std::fputs(record_text(record, arguments, STDOUT_FILENO).c_str(), stdout);
  if (arguments.has("csv"))
    simulator::write_file(arguments.value("csv"),
                          csv(chosen_launches(record, arguments), chosen_metrics(arguments)));
  write_problem_files(arguments, chosen_launches(record, arguments));
  return 0;
}

}  // namespace heddle::cli
