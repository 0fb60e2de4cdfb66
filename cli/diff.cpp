// heddle diff: variants of a program side by side.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>

#include "cli/commands.hpp"
#include "cli/difference_page.hpp"
#include "cli/difference_text.hpp"
#include "cli/limits.hpp"
#include "cli/selection.hpp"
#include "cli/temporary_folder.hpp"
#include "simulator/base/file.hpp"

namespace heddle::cli {
namespace {

// Options of the runs that each variant has unless it says otherwise.
std::vector<std::string> run_options(const Arguments& arguments) {
  std::vector<std::string> options;
  for (const char* option : {"gpu", "timing", "threads"})
    if (arguments.has(option))
      options.push_back(fmt::format("--{}={}", option, arguments.value(option)));
  return options;
}

std::vector<std::pair<std::string, std::string>> asked_matches(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : arguments.values("match")) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == text.npos || at + 1 == text.size())
      throw Usage(fmt::format("--match: expected KERNEL=KERNEL, found {}", text));
    pairs.emplace_back(text.substr(0, at), text.substr(at + 1));
  }
  return pairs;
}

// -k, -s and -c leave launches out.
void choose_launches(std::vector<Variant>& variants, const Arguments& arguments) {
  if (!chooses_launches(arguments)) return;
  for (Variant& each : variants) each.record = chosen_part(each.record, arguments);
}

}  // namespace

int run_diff(const Arguments& arguments) {
  constexpr std::uint64_t kUsual = 10, kMost = 1000000;
  constexpr std::size_t kMostVariants = 26;
  const std::vector<std::string>& words = arguments.words;
  if (words.size() < 2 || words.size() > kMostVariants)
    throw Usage(
        "give at least two variants: programs, sketches, capsules, records or .cu files; quote one "
        "that has options or arguments, as in 'kernel.cu 1024'");
  const auto metrics = chosen_metrics(arguments);
  const auto matches = asked_matches(arguments);
  const std::uint64_t shown = arguments.number("show", kMost).value_or(kUsual);
  if (arguments.has("html")) check_viewer();
  std::deque<TemporaryFolder> folders;
  std::vector<Variant> variants;
  for (const std::string& word : words)
    variants.push_back(make_variant(word, {.options = run_options(arguments),
                                           .folder = folders.emplace_back().path(),
                                           .capture = arguments.has("html")}));
  choose_launches(variants, arguments);
  const Difference result = difference(variants, matches);
  const bool to_stdout = std::ranges::any_of(
      std::initializer_list<const char*>{"csv", "json"},
      [&](const char* each) { return arguments.value(each) == simulator::kStandardOutput; });
  const Style style = Style::choose(arguments.value("color", "auto"), STDOUT_FILENO);
  if (!to_stdout) std::fputs(difference_text(result, metrics, shown, style).c_str(), stdout);
  if (arguments.has("csv"))
    simulator::write_file(arguments.value("csv"), difference_csv(result, metrics));
  if (arguments.has("json"))
    simulator::write_file(
        arguments.value("json"),
        difference_json(result, metrics)
                .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
            "\n");
  if (arguments.has("html")) write_difference_page(result, variants, arguments.value("html"));
  if (result.kernels.empty()) throw std::runtime_error("the variants have no kernel in common");
  return std::ranges::any_of(result.kernels, differs) || !result.notes.empty() ? kDifferent : 0;
}

}  // namespace heddle::cli
