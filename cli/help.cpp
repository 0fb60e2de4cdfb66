#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/record/metrics.hpp"

namespace heddle::cli {
namespace {

std::string spelt(const Option& option) {
  const std::string letter = option.letter != 0 ? fmt::format("-{},", option.letter) : "   ";
  return fmt::format("{} --{}{}{}", letter, option.name, option.argument.empty() ? "" : " ",
                     option.argument);
}

// Breaks a paragraph at blanks, every line after the first behind `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 90) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > width) {
      result += fmt::format("\n{:{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') {
      result += fmt::format("\n{:{}}", "", indent);
      column = indent;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
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
  text += fmt::format("\nOptions:\n{}", option_lines(common_options()));
  text += "      --version               print the version\n";
  text += "\nheddle COMMAND --help tells more.\n";
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
      "Made by `heddle reference markdown`; a test checks that it is up to date.\n";
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
      "An option that is not typed is taken from the environment (`HEDDLE_THREADS` for "
      "`--threads`;\n"
      "flags: 0 or 1), then from `./heddle.toml`, then from `~/.config/heddle/heddle.toml`. In a\n"
      "file, `threads = 0` holds for every command with that option, and the same line under "
      "`[run]`\n"
      "for `heddle run` alone. `--print-config` says what holds and where it was said.\n"
      "A `./heddle.toml` may not set where results are written, nor where sources are read or\n"
      "programs taken from: the folder may be someone else's.\n";
  return text;
}

std::string metrics_page() {
  std::string text =
      "# Metrics\n\n"
      "Made by `heddle reference metrics` from `simulator/record/metric_table.cpp`; a test checks "
      "that it "
      "is "
      "up to date.\n\n"
      "Names are Nsight Compute's, with the roll-up suffix; nvprof's names are aliases, with "
      "nvprof's "
      "conventions.\nAn exact metric equals the hardware's count wherever the launch does not "
      "depend "
      "on the order in which\nwarps run; a modelled one carries an error. A ratio over nothing is "
      "absent, except that nvprof calls the\nbranch efficiency of a kernel without branches 100 "
      "%.\n\n"
      "| metric | nvprof | unit | kind | meaning |\n|---|---|---|---|---|\n";
  for (const simulator::Metric& metric : simulator::metrics())
    text += fmt::format(
        "| `{}` | {} | {} | {} | {} |\n", metric.name,
        metric.nvprof.empty() ? "" : fmt::format("`{}`", metric.nvprof), metric.unit,
        metric.kind == simulator::MetricKind::exact ? "exact" : "modelled", metric.meaning);
  return text;
}

std::string man_page() {
  std::string text =
      ".TH HEDDLE 1\n.SH NAME\nheddle \\- runs CUDA programs on a model of a GPU\n.SH SYNOPSIS\n";
  for (const Command& command : commands())
    text += fmt::format(".B heddle {}\n{}\n.br\n", command.name, roff(command.synopsis));
  for (const Command& command : commands()) {
    text += fmt::format(".SH HEDDLE {}\n{}\n", command.name, roff(command.summary));
    if (!command.details.empty()) text += fmt::format(".PP\n{}\n", roff(command.details));
    for (const std::string_view example : command.examples)
      text += fmt::format(".PP\n.RS\n{}\n.RE\n", roff(example));
    text += man_options(command.options);
  }
  text += ".SH OPTIONS OF EVERY COMMAND\n" + man_options(common_options());
  return text;
}

std::string bash_completion() {
  std::string names, cases;
  for (const Command& command : commands()) {
    names += fmt::format("{} ", command.name);
    std::string options;
    for (const auto& table : {command.options, common_options()})
      for (const Option& option : table) options += fmt::format("--{} ", option.name);
    options.pop_back();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, options);
  }
  names.pop_back();
  return fmt::format(
      "_heddle() {{\n  local words\n  case \"${{COMP_WORDS[1]}}\" in\n{}    *) words=\"{}\" ;;\n"
      "  esac\n  if [[ $COMP_CWORD -eq 1 || $2 == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$2\"))\n  else\n"
      "    COMPREPLY=($(compgen -f -- \"$2\"))\n  fi\n}}\ncomplete -F _heddle heddle\n",
      cases, names);
}

}  // namespace heddle::cli
