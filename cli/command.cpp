#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>

#include "simulator/base/spelling.hpp"

namespace heddle::cli {
namespace {

namespace options = boost::program_options;

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view near = simulator::nearest(word, known);
  return near.empty() ? std::string() : fmt::format("; did you mean {}?", near);
}

// "48K" with units of 1024 is 49152. Nothing where it is no number up to `most`.
std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t unit,
                                          std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(last - end));
  if (!suffix.empty()) {
    const std::size_t power = std::string_view("kKmMgGtT").find(suffix[0]);
    if (power == std::string_view::npos) return std::nullopt;
    suffix.remove_prefix(1);
    if (unit == 1024 && (suffix == "B" || suffix == "iB")) suffix = {};
    if (!suffix.empty()) return std::nullopt;
    for (std::size_t i = 0; i <= power / 2; ++i) {
      if (number > most / unit) return std::nullopt;
      number *= unit;
    }
  }
  return number > most ? std::nullopt : std::optional(number);
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> all(command.options.begin(), command.options.end());
  all.insert(all.end(), common_options().begin(), common_options().end());
  return all;
}

options::options_description describe(const std::vector<Option>& table) {
  options::options_description description;
  for (const Option& option : table) {
    std::string names(option.name);
    if (option.letter != 0) names += fmt::format(",{}", option.letter);
    if (option.argument.empty())
      description.add_options()(names.c_str(), "");
    else
      description.add_options()(names.c_str(), options::value<std::vector<std::string>>(), "");
  }
  return description;
}

std::string unknown_option(const std::string& given, const std::vector<Option>& table) {
  // Several words in quotes, as heddle diff takes them.
  if (given.find(' ') != given.npos)
    return fmt::format(
        "unknown option {}; put a blank in front of a variant that begins with an option: ' {}'",
        given, given);
  std::vector<std::string_view> known;
  for (const Option& option : table) known.push_back(option.name);
  const std::string name = given.substr(std::min(given.find_first_not_of('-'), given.size()));
  const std::string_view near = simulator::nearest(name, known);
  return fmt::format("unknown option {}{}", given,
                     near.empty() ? "" : fmt::format("; did you mean --{}?", near));
}

// "--gpu needs a value: --gpu ID".
[[noreturn]] void fail_without_value(const Option& option) {
  throw Usage(
      fmt::format("--{} needs a value: --{} {}", option.name, option.name, option.argument));
}

const Option* find_option(const std::vector<Option>& table, std::string_view word) {
  const bool is_long = word.starts_with("--");
  const auto found = std::ranges::find_if(table, [&](const Option& option) {
    if (is_long) return word.substr(2) == option.name;
    return word.size() > 1 && word[0] == '-' && option.letter == word[1];
  });
  return found == table.end() ? nullptr : &*found;
}

// The library's own messages are not for users.
[[noreturn]] void refuse_syntax(const options::invalid_command_line_syntax& error,
                                const std::vector<Option>& table) {
  using Syntax = options::invalid_command_line_syntax;
  const std::string given = error.get_option_name();
  const Option* const option = find_option(table, given);
  if (option == nullptr) throw Usage(unknown_option(given, table));
  if (error.kind() == Syntax::extra_parameter) throw Usage(fmt::format("{} takes no value", given));
  fail_without_value(*option);
}

// An option where a command is expected.
[[noreturn]] void refuse_leading_option(const std::string& given) {
  std::vector<Option> known(common_options().begin(), common_options().end());
  if (find_option(known, given) != nullptr)
    throw Usage(fmt::format("{0} goes after a command, as in: heddle run {0}", given));
  known.push_back({"version", 0, "", ""});
  throw Usage(unknown_option(given, known));
}

// How many of the words are Heddle's: those before -- and before the program's name.
std::size_t count_own_words(const Command& command, const std::vector<Option>& table,
                            const std::vector<std::string>& words) {
  bool is_file = !command.takes_program;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return i;
    if (!word.starts_with('-') || word.size() == 1) {
      is_file = is_file || (command.reads_file != nullptr && command.reads_file(word));
      if (!is_file) return i;
      continue;
    }
    const Option* const option = find_option(table, word);
    const bool is_alone = word.starts_with("--") || word.size() == 2;
    if (option == nullptr || option->argument.empty() || !is_alone) continue;
    if (++i == words.size() || words[i] == "--") fail_without_value(*option);
  }
  return words.size();
}

}  // namespace

std::string Arguments::value(std::string_view option, std::string_view otherwise) const {
  const auto found = values_.find(option);
  return found == values_.end() || found->second.empty() ? std::string(otherwise)
                                                         : found->second.back();
}

std::optional<std::uint64_t> Arguments::number(std::string_view option, std::uint64_t most) const {
  if (!has(option)) return std::nullopt;
  const auto number = whole_number(value(option), 1000, most);
  if (!number)
    throw Usage(
        fmt::format("--{}: \"{}\" is not a whole number up to {}", option, value(option), most));
  return number;
}

std::optional<std::uint64_t> Arguments::bytes(std::string_view option, std::uint64_t most) const {
  if (!has(option)) return std::nullopt;
  const auto number = whole_number(value(option), 1024, most);
  if (!number)
    throw Usage(fmt::format("--{}: \"{}\" is not a number of bytes up to {}, as in 4096, 48K or 2G",
                            option, value(option), most));
  return number;
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> Arguments::list(std::string_view option) const {
  std::vector<std::string> items;
  const auto found = values_.find(option);
  if (found == values_.end()) return items;
  for (const std::string& text : found->second)
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      if (comma > at) items.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
  return items;
}

std::string suggestion(std::string_view word, const Names& known) {
  const std::string near = did_you_mean(word, {known.begin(), known.end()});
  return near.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : near;
}

void check_names(const Arguments& arguments, const Command& command) {
  for (const Option& option : all_options(command)) {
    if (option.names == nullptr || option.is_open) continue;
    const Names known = option.names();
    for (const std::string& word : arguments.values(option.name))
      if (std::ranges::find(known, word) == known.end())
        throw Usage(fmt::format("--{}: unknown {}{}", option.name, word, suggestion(word, known)));
  }
}

const Command& find_command(std::string_view name) {
  if (name.starts_with('-')) refuse_leading_option(std::string(name.substr(0, name.find('='))));
  std::vector<std::string_view> known;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    known.push_back(command.name);
  }
  throw Usage(fmt::format("unknown command {}{}", name, did_you_mean(name, known)));
}

Arguments parse(const Command& command, const std::vector<std::string>& words) {
  const std::vector<Option> table = all_options(command);
  const auto program =
      words.begin() + static_cast<std::ptrdiff_t>(count_own_words(command, table, words));
  Arguments arguments;
  if (program != words.end()) {
    if (!command.takes_program) throw Usage("there is no program to give after --");
    arguments.program.assign(program + (*program == "--" ? 1 : 0), words.end());
  }
  try {
    namespace style = options::command_line_style;
    const options::options_description description = describe(table);
    const auto parsed =
        options::command_line_parser(std::vector<std::string>(words.begin(), program))
            .options(description)
            .style(style::unix_style & ~style::allow_guessing)
            .run();
    for (const auto& option : parsed.options) {
      if (option.string_key.empty())
        arguments.words.insert(arguments.words.end(), option.value.begin(), option.value.end());
      else
        arguments.values_[option.string_key].insert(arguments.values_[option.string_key].end(),
                                                    option.value.begin(), option.value.end());
    }
    for (const Option& option : table)
      if (!option.argument.empty() && std::ranges::count(arguments.values(option.name), "") != 0)
        fail_without_value(option);
  } catch (const options::unknown_option& error) {
    throw Usage(unknown_option(error.get_option_name(), table));
  } catch (const options::invalid_command_line_syntax& error) {
    refuse_syntax(error, table);
  } catch (const options::error&) {
    throw Usage(fmt::format("heddle {}: the options are not understood; heddle help {} lists them",
                            command.name, command.name));
  }
  return arguments;
}

}  // namespace heddle::cli
