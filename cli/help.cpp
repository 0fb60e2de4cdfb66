#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/nvprof_names.hpp"
#include "cli/text.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {
namespace {

std::string spelt(const Option& option) {
  const std::string letter = option.letter != 0 ? fmt::format("-{},", option.letter) : "   ";
  return fmt::format("{} --{}{}{}", letter, option.name, option.argument.empty() ? "" : " ",
                     option.argument);
}

std::string option_lines(std::span<const Option> options) {
  constexpr std::size_t kColumn = 30;
  std::string text;
  for (const Option& option : options) {
    std::string line = fmt::format("  {}", spelt(option));
    line = line.size() + 1 < kColumn ? fmt::format("{:{}}", line, kColumn)
                                     : fmt::format("{}\n{:{}}", line, "", kColumn);
    text += fmt::format("{}{}\n", line, wrapped(option.meaning, kColumn));
  }
  return text;
}

std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '-' || c == '\\') escaped += '\\';
    escaped += c;
    if (c == '\n') escaped += ".br\n";
  }
  return escaped;
}

std::string man_options(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    std::string label = spelt(option);
    label.erase(0, label.find_first_not_of(' '));
    text += fmt::format(".TP\n.B {}\n{}\n", roff(label), roff(option.meaning));
  }
  return text;
}

std::string markdown_options(std::span<const Option> options) {
  std::string text = "| option | meaning |\n|---|---|\n";
  for (const Option& option : options) {
    std::string label = spelt(option);
    label.erase(0, label.find_first_not_of(' '));
    text += fmt::format("| `{}` | {} |\n", label, option.meaning);
  }
  return text;
}

}  // namespace

std::string help() {
  std::string text =
      "heddle runs CUDA programs on a model of a GPU and counts what every instruction does.\n\n";
  text += "Examples:\n";
  for (const Command& command : commands())
    if (!command.examples.empty()) text += fmt::format("  {}\n", command.examples.front());
  text += "\nCommands:\n";
  for (const Command& command : commands())
    text += fmt::format("  {:<12}{}\n", command.name, wrapped(command.summary, 14));
  text += "\nOptions:\n      --version               print the version\n";
  text += fmt::format("\nOptions of every command:\n{}", option_lines(common_options()));
  text += "\nRun 'heddle COMMAND --help' for details.\n";
  return text;
}

std::string help(const Command& command) {
  std::string text = fmt::format("heddle {} {}\n", command.name, command.synopsis);
  text += fmt::format("{}\n", wrapped(command.summary, 0));
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const std::string_view example : command.examples) text += fmt::format("  {}\n", example);
  if (!command.details.empty()) text += fmt::format("\n{}\n", wrapped(command.details, 0));
  text += fmt::format("\nOptions:\n{}{}", option_lines(command.options),
                      option_lines(common_options()));
  return text;
}

std::string reference() {
  std::string text =
      "# The `heddle` command\n\n"
      "`heddle reference markdown` generates this page; a test checks that it is up to date.\n";
  for (const Command& command : commands()) {
    text += fmt::format("\n## heddle {}\n\n{}\n\n", command.name, command.summary);
    text += fmt::format("    heddle {} {}\n", command.name, command.synopsis);
    if (!command.details.empty()) text += fmt::format("\n{}\n", wrapped(command.details, 0, 100));
    if (!command.examples.empty()) text += "\nExamples:\n\n";
    for (const std::string_view example : command.examples)
      text += fmt::format("    {}\n", example);
    if (!command.options.empty()) text += fmt::format("\n{}", markdown_options(command.options));
  }
  text += "\n## Options of every command\n\n" + markdown_options(common_options());
  text +=
      "\n## Configuration\n\n"
      "An option that is not on the command line is read from the environment (`HEDDLE_THREADS` "
      "for\n"
      "`--threads`; flags are 0 or 1), then from `./heddle.toml`, then from\n"
      "`~/.config/heddle/heddle.toml`. In a file, `threads = 0` sets the option for every command\n"
      "that has it. Below `[run]` the line applies only to `heddle run`. `--print-config` shows "
      "each\n"
      "value and where it was set. Because the folder may be someone else's, a `./heddle.toml` may "
      "not\n"
      "set where results are written, nor from where sources are read or programs are taken.\n";
  return text;
}

std::string metrics_page() {
  std::string text =
      "# Metrics\n\n"
      "`heddle reference metrics` generates this page from `simulator/record/metric_table.cpp`; a "
      "test checks that it is up to date.\n\n"
      "Metrics have Nsight Compute's names, with the roll-up suffix. nvprof's names are aliases "
      "and follow nvprof's conventions.\nIf a launch does not depend on the order in which warps "
      "run, an exact metric equals the hardware's count. A modelled\nmetric carries an error. A "
      "ratio whose denominator is zero is absent, except that nvprof reports a branch efficiency "
      "of 100 %\nfor kernels without branches.\n\n"
      "`smsp__sass_` metrics are those of a profiler, whose patches can change how lanes "
      "reconverge. `smsp__inst_executed` and\nother hardware counters count the program's own "
      "code. In a timed launch all exact metrics do (`counts` in the [record](record.md)).\n\n"
      "| metric | nvprof | unit | kind | meaning |\n|---|---|---|---|---|\n";
  for (const simulator::Metric& metric : simulator::metrics())
    text += fmt::format(
        "| `{}` | {} | {} | {} | {} |\n", metric.name,
        metric.nvprof.empty() ? "" : fmt::format("`{}`", metric.nvprof), metric.unit,
        metric.kind == simulator::MetricKind::exact ? "exact" : "modelled", metric.meaning);
  text +=
      "\n## nvprof's metrics and events\n\n"
      "These are all names that nvprof had on a V100, and names of older GPUs that tutorials use. "
      "Supported metrics are\ncomputed from the model's counts; `--metrics` accepts the name.\n\n"
      "| name | kind | here |\n|---|---|---|\n";
  for (const NvprofName& each : nvprof_names()) {
    const simulator::Metric* metric = simulator::find_metric(each.name);
    text += fmt::format("| `{}` | {} | {} |\n", each.name, each.is_event ? "event" : "metric",
                        metric == nullptr ? fmt::format("no: {}", each.why_not)
                                          : fmt::format("`{}`", metric->name));
  }
  return text;
}

std::string man_page() {
  std::string text =
      ".TH HEDDLE 1\n.SH NAME\nheddle \\- runs CUDA programs on a model of a GPU\n.SH SYNOPSIS\n"
      ".B heddle COMMAND\n[options] ...\n.SH COMMANDS\n";
  for (const Command& command : commands())
    text +=
        fmt::format(".TP\n.BR heddle\\-{} (1)\n{}\n", roff(command.name), roff(command.summary));
  return text + ".SH OPTIONS OF EVERY COMMAND\n" + man_options(common_options());
}

std::string man_page(const Command& command) {
  std::string text = fmt::format(
      ".TH HEDDLE-{} 1\n.SH NAME\nheddle\\-{} \\- {}\n.SH SYNOPSIS\n.B heddle {}\n{}\n",
      command.name, command.name, roff(command.summary), command.name, roff(command.synopsis));
  if (!command.details.empty()) text += fmt::format(".SH DESCRIPTION\n{}\n", roff(command.details));
  if (!command.options.empty())
    text += fmt::format(".SH OPTIONS\n{}", man_options(command.options));
  text += ".SH OPTIONS OF EVERY COMMAND\n" + man_options(common_options());
  if (!command.examples.empty()) text += ".SH EXAMPLES\n";
  for (const std::string_view example : command.examples)
    text += fmt::format(".PP\n.RS\n{}\n.RE\n", roff(example));
  return text + ".SH SEE ALSO\n.BR heddle (1)\n";
}

}  // namespace heddle::cli
