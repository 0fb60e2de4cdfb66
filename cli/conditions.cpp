#include "cli/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/selection.hpp"

namespace heddle::cli {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Condition condition(const std::string& text) {
  const std::size_t at = text.find_first_of("<>=!");
  const std::size_t end = at == text.npos ? at : text.find_first_not_of("<>=!", at);
  Condition result;
  result.text = text;
  if (end != text.npos) result.op = text.substr(at, end - at);
  constexpr std::string_view kOperators[] = {"<", "<=", ">", ">=", "==", "!="};
  const bool is_operator = std::ranges::find(kOperators, result.op) != std::end(kOperators);
  std::string_view number = end == text.npos ? "" : trimmed(std::string_view(text).substr(end));
  if (number.ends_with('%')) number = trimmed(number.substr(0, number.size() - 1));
  const auto [stop, error] =
      std::from_chars(number.data(), number.data() + number.size(), result.limit);
  if (!is_operator || error != std::errc() || stop != number.data() + number.size())
    throw Usage(fmt::format(
        "--fail-on: \"{}\" is no condition; write METRIC, one of < <= > >= == !=, and a number, as "
        "in 'branch_efficiency < 90'",
        text));
  result.metric =
      &metric_of("--fail-on", std::string(trimmed(std::string_view(text).substr(0, at))));
  return result;
}

bool holds(double value, const Condition& condition) {
  if (condition.op == "<") return value < condition.limit;
  if (condition.op == "<=") return value <= condition.limit;
  if (condition.op == ">") return value > condition.limit;
  if (condition.op == ">=") return value >= condition.limit;
  return (value == condition.limit) == (condition.op == "==");
}

}  // namespace

std::vector<Condition> fail_conditions(const Arguments& arguments) {
  std::vector<Condition> all;
  for (const std::string& text : arguments.values("fail-on")) all.push_back(condition(text));
  return all;
}

std::vector<Violation> violations(Launches launches, const std::vector<Condition>& conditions) {
  std::vector<Violation> all;
  for (const Condition& each : conditions)
    for (const simulator::LaunchRecord* launch : launches)
      if (const auto value = shown_value(*launch, *each.metric); value && holds(*value, each))
        all.push_back({launch, each, *value});
  return all;
}

std::string violation_text(const Violation& violation) {
  const simulator::Metric& metric = *violation.condition.metric;
  return fmt::format("{} is {}{}{}, which --fail-on '{}' refuses", short_name(metric),
                     readable(violation.value), metric.unit.empty() ? "" : " ", metric.unit,
                     visible(violation.condition.text));
}

}  // namespace heddle::cli
