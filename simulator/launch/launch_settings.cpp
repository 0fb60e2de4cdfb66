#include "simulator/launch/launch_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "simulator/base/spelling.hpp"

namespace heddle::simulator {
namespace {

// One setting: its name, how it is written (empty: it is left out) and read. `read` throws
// std::invalid_argument.
struct Row {
  std::string_view name;
  std::string (*write)(const LaunchSettings&);
  void (*read)(std::string_view, LaunchSettings&);
};

template <typename Number>
Number whole_number(std::string_view text) {
  Number value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last)
    throw std::invalid_argument(fmt::format("\"{}\" is not a whole number", text));
  return value;
}

ReconvergencePolicy policy(std::string_view text) {
  const auto found = find_reconvergence(text);
  if (!found) throw std::invalid_argument(fmt::format("\"{}\": {}", text, reconvergence_names()));
  return *found;
}

// "even", or "random:" and a seed.
std::optional<std::uint64_t> schedule(std::string_view text) {
  constexpr std::string_view kRandom = "random:";
  if (text == "even") return std::nullopt;
  if (text.starts_with(kRandom)) return whole_number<std::uint64_t>(text.substr(kRandom.size()));
  throw std::invalid_argument(fmt::format("\"{}\" is not even, or random:SEED", text));
}

bool yes_or_no(std::string_view text) {
  if (text != "0" && text != "1")
    throw std::invalid_argument(fmt::format("\"{}\" is not 0 or 1", text));
  return text == "1";
}

constexpr Row kRows[] = {
    {"threads", [](const LaunchSettings& from) { return std::to_string(from.threads); },
     [](std::string_view text, LaunchSettings& to) { to.threads = whole_number<unsigned>(text); }},
    {"threads-after",
     [](const LaunchSettings& from) {
       return from.threads_after == LaunchSettings().threads_after
                  ? std::string()
                  : std::to_string(from.threads_after);
     },
     [](std::string_view text, LaunchSettings& to) {
       to.threads_after = whole_number<std::uint64_t>(text);
     }},
    {"max-instructions",
     [](const LaunchSettings& from) { return std::to_string(from.max_instructions); },
     [](std::string_view text, LaunchSettings& to) {
       to.max_instructions = whole_number<std::uint64_t>(text);
     }},
    {"timing",
     [](const LaunchSettings& from) { return from.timing ? to_text(*from.timing) : std::string(); },
     [](std::string_view text, LaunchSettings& to) { to.timing = timing::parse_options(text); }},
    {"reconvergence",
     [](const LaunchSettings& from) {
       return from.reconvergence ? std::string(info(*from.reconvergence).name) : std::string();
     },
     [](std::string_view text, LaunchSettings& to) { to.reconvergence = policy(text); }},
    {"schedule",
     [](const LaunchSettings& from) {
       return from.random_schedule ? fmt::format("random:{}", *from.random_schedule)
                                   : std::string();
     },
     [](std::string_view text, LaunchSettings& to) { to.random_schedule = schedule(text); }},
    {"interpret", [](const LaunchSettings& from) { return std::string(from.interpret ? "1" : ""); },
     [](std::string_view text, LaunchSettings& to) { to.interpret = yes_or_no(text); }},
    {"check", [](const LaunchSettings& from) { return checks::to_text(from.checks); },
     [](std::string_view text, LaunchSettings& to) { to.checks = checks::parse_options(text); }},
    {"counters", [](const LaunchSettings& from) { return std::string(from.counters ? "1" : "0"); },
     [](std::string_view text, LaunchSettings& to) { to.counters = yes_or_no(text); }},
};

const Row& row_named(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &Row::name);
  if (found != std::end(kRows)) return *found;
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.name);
  const std::string_view near = nearest(name, names);
  throw std::invalid_argument(
      near.empty() ? fmt::format("no setting {}; there are {}", name, fmt::join(names, ", "))
                   : fmt::format("no setting {}; did you mean {}?", name, near));
}

void read_item(std::string_view item, LaunchSettings& settings) {
  const std::size_t equals = std::min(item.find('='), item.size());
  const Row& row = row_named(item.substr(0, equals));
  try {
    row.read(item.substr(std::min(equals + 1, item.size())), settings);
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(fmt::format("{}: {}", row.name, wrong.what()));
  }
}

}  // namespace

std::string to_text(const LaunchSettings& settings) {
  std::string text;
  for (const Row& row : kRows) {
    const std::string value = row.write(settings);
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", row.name, value);
  }
  return text;
}

void check_settings(const LaunchSettings& settings) {
  if (settings.timing && settings.random_schedule)
    throw std::invalid_argument(
        "schedule: random is for launches that are not timed; a timed launch's order is that of "
        "the GPU's schedulers");
}

LaunchSettings parse_settings(std::string_view text, LaunchSettings otherwise) {
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (space != 0) read_item(text.substr(0, space), otherwise);
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  check_settings(otherwise);
  return otherwise;
}

}  // namespace heddle::simulator
