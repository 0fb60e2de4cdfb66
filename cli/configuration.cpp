#include "cli/configuration.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>

#include "simulator/base/spelling.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTheCommandLine = "the command line";

// A flag that is set; options with arguments hold what was given.
using Values = std::vector<std::string>;

// Options about the command itself are only typed.
bool is_only_typed(std::string_view option) { return option == "help" || option == "print-config"; }

std::vector<Option> settable_options(const Command& command) {
  std::vector<Option> all(command.options.begin(), command.options.end());
  all.insert(all.end(), common_options().begin(), common_options().end());
  std::erase_if(all, [](const Option& option) { return is_only_typed(option.name); });
  return all;
}

[[noreturn]] void refuse(const toml::source_region& where, std::string_view key,
                         std::string_view why) {
  throw Usage(fmt::format("{}:{}: {}: {}", where.path ? *where.path : std::string(),
                          where.begin.line, key, why));
}

// The words that a value of a file stands for; none for a flag that is off.
Values words_of(const toml::node& node, const Option& option) {
  const auto one = [&](const toml::node& item) -> std::string {
    if (const auto* text = item.as_string()) return text->get();
    if (const auto* number = item.as_integer()) return std::to_string(number->get());
    if (const auto* number = item.as_floating_point()) return fmt::format("{}", number->get());
    refuse(item.source(), option.name, "expected text or a number");
  };
  if (option.argument.empty()) {
    const auto* flag = node.as_boolean();
    if (flag == nullptr) refuse(node.source(), option.name, "expected true or false");
    return flag->get() ? Values{""} : Values{};
  }
  Values words;
  if (const auto* list = node.as_array())
    for (const toml::node& item : *list) words.push_back(one(item));
  else
    words.push_back(one(node));
  return words;
}

const Option* option_named(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

// Keys outside tables may be meant for another command.
bool is_option_of_any(std::string_view name) {
  return std::ranges::any_of(commands(), [&](const Command& command) {
    return option_named(settable_options(command), name) != nullptr;
  });
}

bool is_command(std::string_view name) {
  return std::ranges::any_of(commands(), [&](const Command& each) { return each.name == name; });
}

void check_key(std::string_view key, const toml::node& node) {
  if (node.is_table() ? is_command(key) : is_option_of_any(key)) return;
  std::vector<std::string_view> known;
  for (const Command& command : commands()) {
    known.push_back(command.name);
    for (const Option& option : settable_options(command)) known.push_back(option.name);
  }
  const std::string_view near = simulator::nearest(key, known);
  refuse(node.source(), key,
         near.empty() ? std::string("no command has this option")
                      : fmt::format("no command has this option; did you mean {}?", near));
}

void refuse_effects(const toml::table& table, const std::vector<Option>& options) {
  for (const auto& [key, node] : table)
    if (const Option* option = option_named(options, key.str());
        option != nullptr && option->effect != Effect::none)
      refuse(
          node.source(), key.str(),
          "a folder's heddle.toml may not set this, because the folder may be someone else's; set "
          "it on the command line or in your own heddle.toml");
}

// Throws Usage where a file that came with a folder has something written, read or run.
void check_project_file(const toml::table& all) {
  for (const Command& command : commands()) {
    const std::vector<Option> options = settable_options(command);
    refuse_effects(all, options);
    if (const toml::table* own = all[command.name].as_table()) refuse_effects(*own, options);
  }
}

toml::table parse_file(const fs::path& file) {
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw Usage(
        fmt::format("{}:{}: is not TOML: write one NAME = VALUE per line, with text in quotes, and "
                    "[COMMAND] above lines for one command",
                    file.string(), error.source().begin.line));
  }
}

}  // namespace

std::string environment_name(std::string_view option) {
  std::string name = "HEDDLE_";
  for (const char c : option)
    name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

Surroundings surroundings() {
  Surroundings around;
  around.environment = [](const char* name) -> const char* { return std::getenv(name); };
  around.files.emplace_back("heddle.toml");
  around.of_project = 1;
  const char* configuration = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (configuration != nullptr && *configuration != '\0')
    around.files.push_back(fs::path(configuration) / "heddle" / "heddle.toml");
  else if (home != nullptr && *home != '\0')
    around.files.push_back(fs::path(home) / ".config" / "heddle" / "heddle.toml");
  return around;
}

void configure(Arguments& arguments, const Command& command, const Surroundings& around) {
  const std::vector<Option> options = settable_options(command);
  const auto set = [&](const Option& option, Values words, const std::string& from) {
    if (arguments.origins_.contains(option.name)) return;
    arguments.origins_.emplace(option.name, from);
    if (!words.empty()) arguments.values_.emplace(option.name, std::move(words));
  };
  for (const auto& [name, words] : arguments.values_)
    arguments.origins_.emplace(name, kTheCommandLine);
  for (const Option& option : options) {
    const std::string name = environment_name(option.name);
    const char* text = around.environment(name.c_str());
    if (text == nullptr || *text == '\0') continue;
    if (!option.argument.empty())
      set(option, {text}, name);
    else if (text == std::string_view("0") || text == std::string_view("1"))
      set(option, *text == '1' ? Values{""} : Values{}, name);
    else
      throw Usage(fmt::format("{}={}: expected 0 or 1", name, text));
  }
  for (std::size_t i = 0; i < around.files.size(); ++i) {
    const fs::path& file = around.files[i];
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    const toml::table all = parse_file(file);
    for (const auto& [key, node] : all) check_key(key.str(), node);
    if (i < around.of_project) check_project_file(all);
    const auto take = [&](const toml::table& table, bool own) {
      for (const auto& [key, node] : table) {
        if (node.is_table() && !own) continue;
        if (const Option* option = option_named(options, key.str()))
          set(*option, words_of(node, *option),
              fmt::format("{}:{}", file.string(), node.source().begin.line));
        else if (own)
          refuse(node.source(), key.str(),
                 fmt::format("heddle {} has no such option", command.name));
      }
    };
    if (const toml::table* own = all[command.name].as_table()) take(*own, true);
    take(all, false);
  }
}

std::string configuration_text(const Arguments& arguments, const Command& command) {
  std::string text;
  for (const Option& option : settable_options(command)) {
    const auto origin = arguments.origins_.find(option.name);
    const auto values = arguments.values_.find(option.name);
    std::string value = "(default)";
    if (values != arguments.values_.end())
      value = option.argument.empty() ? "true" : fmt::format("{}", fmt::join(values->second, ","));
    else if (origin != arguments.origins_.end())
      value = "false";
    text += fmt::format("{:<18} {}", option.name, value);
    if (origin != arguments.origins_.end()) text += fmt::format("    from {}", origin->second);
    text += '\n';
  }
  return text;
}

}  // namespace heddle::cli
