// What shells complete: commands, options and the words that options take, from the table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help.hpp"

namespace heddle::cli {
namespace {

std::vector<Option> options_of(const Command& command) {
  std::vector<Option> all(command.options.begin(), command.options.end());
  all.insert(all.end(), common_options().begin(), common_options().end());
  return all;
}

std::string escaped(std::string_view text, std::string_view special, std::string_view with) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != special.npos) result += with;
    result += c;
  }
  return result;
}

// Inside '…' of a shell.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string bash_completion() {
  std::string names, options, values;
  for (const Command& command : commands()) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
    std::string all;
    for (const Option& option : options_of(command)) {
      all += fmt::format("{}--{}", all.empty() ? "" : " ", option.name);
      if (option.names != nullptr)
        values += fmt::format("    '{} --{}') words=\"{}\" ;;\n", command.name, option.name,
                              fmt::join(option.names(), " "));
    }
    options += fmt::format("      {}) words=\"{}\" ;;\n", command.name, all);
  }
  return fmt::format(
      "_heddle() {{\n"
      "  local words='' before=\"${{COMP_WORDS[COMP_CWORD-1]}}\" word=\"$2\" head=''\n"
      "  [[ $before == = ]] && before=\"${{COMP_WORDS[COMP_CWORD-2]}}\"\n"
      "  [[ $word == = ]] && word=''\n"
      "  case \"${{COMP_WORDS[1]}} $before\" in\n{}  esac\n"
      "  if [[ -n $words ]]; then\n"
      "    [[ $word == *,* ]] && head=\"${{word%,*}},\"\n"
      "    COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"${{word##*,}}\"))\n"
      "  elif [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"{} help\" -- \"$word\"))\n"
      "  elif [[ $word == -* ]]; then\n"
      "    case \"${{COMP_WORDS[1]}}\" in\n{}    esac\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}}\ncomplete -F _heddle heddle\n",
      values, names, options);
}

std::string zsh_completion() {
  std::string names, cases;
  for (const Command& command : commands()) {
    names +=
        fmt::format("    {}\n", shell_quoted(fmt::format("{}:{}", command.name, command.summary)));
    cases += fmt::format("    {})\n      _arguments -s \\\n", command.name);
    for (const Option& option : options_of(command)) {
      std::string text = fmt::format("--{}{}[{}]", option.name, option.argument.empty() ? "" : "=",
                                     escaped(option.meaning, "[]\\", "\\"));
      if (!option.argument.empty()) {
        const std::string action =
            option.names == nullptr ? "_files"
            : option.is_open ? fmt::format("_sequence compadd - {}", fmt::join(option.names(), " "))
                             : fmt::format("({})", fmt::join(option.names(), " "));
        text += fmt::format(":{}:{}", escaped(option.argument, ":[]\\", "\\"), action);
      }
      cases += fmt::format("        {} \\\n", shell_quoted("*" + text));
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(
      "#compdef heddle\n_heddle() {{\n  local -a names\n  names=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n    _describe command names\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n{}  "
      "esac\n}}\n"
      "_heddle \"$@\"\n",
      names, cases);
}

std::string fish_completion() {
  std::string text;
  for (const Command& command : commands()) {
    text += fmt::format("complete -c heddle -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        shell_quoted(command.summary));
    for (const Option& option : options_of(command)) {
      text += fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}' -l {}",
                          command.name, option.name);
      if (option.letter != 0) text += fmt::format(" -s {}", option.letter);
      if (option.names != nullptr)
        text += fmt::format(" -x -a {}",
                            shell_quoted(fmt::format("{}", fmt::join(option.names(), " "))));
      else if (!option.argument.empty())
        text += " -r";
      text += fmt::format(" -d {}\n", shell_quoted(option.meaning));
    }
  }
  return text;
}

}  // namespace heddle::cli
