#include "cli/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

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
  if (number.starts_with('+') || number.starts_with('-'))
    result.kind = number.ends_with('%') ? Condition::Limit::share : Condition::Limit::amount;
  if (number.starts_with('+')) number.remove_prefix(1);
  if (number.ends_with('%')) number = trimmed(number.substr(0, number.size() - 1));
  const auto [stop, error] =
      std::from_chars(number.data(), number.data() + number.size(), result.limit);
  if (!is_operator || error != std::errc() || stop != number.data() + number.size())
    throw Usage(fmt::format(
        "--fail-on: \"{}\" is no condition; write METRIC, one of < <= > >= == !=, and a number, as "
        "in 'branch_efficiency < 90'; with --baseline also 'inst_executed > +5%'",
        text));
  result.metric =
      &metric_of("--fail-on", std::string(trimmed(std::string_view(text).substr(0, at))));
  return result;
}

// What a value must keep to; `before` is the baseline's.
double limit_of(const Condition& condition, const std::optional<double>& before) {
  constexpr double kPercent = 100;
  switch (condition.kind) {
    case Condition::Limit::share:
      return *before * (1 + condition.limit / kPercent);
    case Condition::Limit::amount:
      return *before + condition.limit;
    default:
      return condition.limit;
  }
}

bool holds(double value, const std::string& op, double limit) {
  if (op == "<") return value < limit;
  if (op == "<=") return value <= limit;
  if (op == ">") return value > limit;
  if (op == ">=") return value >= limit;
  return (value == limit) == (op == "==");
}

// For each launch the one that has its kernel's name and place among those there, or null.
std::vector<const simulator::LaunchRecord*> partners(Launches launches,
                                                     const simulator::Record& baseline) {
  std::map<std::string, std::vector<const simulator::LaunchRecord*>> there;
  for (const simulator::LaunchRecord& launch : baseline.launches)
    there[launch.kernel].push_back(&launch);
  std::map<std::string, std::size_t> seen;
  std::vector<const simulator::LaunchRecord*> result;
  for (const simulator::LaunchRecord* launch : launches) {
    const auto& all = there[launch->kernel];
    const std::size_t n = seen[launch->kernel]++;
    result.push_back(n < all.size() ? all[n] : nullptr);
  }
  return result;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.emplace_back(trimmed(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

std::shared_ptr<const simulator::Record> baseline_of(const Arguments& arguments,
                                                     const Condition& relative) {
  if (!arguments.has("baseline"))
    throw Usage(
        fmt::format("--fail-on '{}' is relative: name the record of an earlier run with "
                    "--baseline",
                    relative.text));
  const simulator::Record record = simulator::read_record(arguments.value("baseline"));
  return std::make_shared<const simulator::Record>(chosen_part(record, arguments));
}

}  // namespace

std::vector<Condition> fail_conditions(const Arguments& arguments) {
  std::vector<Condition> all;
  std::shared_ptr<const simulator::Record> baseline;
  for (const std::string& text : arguments.values("fail-on"))
    for (const std::string& part : split(text)) {
      all.push_back(condition(part));
      if (all.back().kind == Condition::Limit::absolute) continue;
      if (!baseline) baseline = baseline_of(arguments, all.back());
      all.back().baseline = baseline;
    }
  if (arguments.has("baseline") && !baseline)
    throw Usage("--baseline needs a relative condition, as in --fail-on 'inst_executed > +5%'");
  return all;
}

std::vector<Violation> violations(Launches launches, const std::vector<Condition>& conditions) {
  std::vector<Violation> all;
  for (const Condition& each : conditions) {
    const auto before = each.baseline ? partners(launches, *each.baseline)
                                      : std::vector<const simulator::LaunchRecord*>();
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const auto value = shown_value(*launches[i], *each.metric);
      std::optional<double> old;
      if (each.baseline && before[i] != nullptr) old = shown_value(*before[i], *each.metric);
      if (!value || (each.baseline && !old)) continue;
      if (holds(*value, each.op, limit_of(each, old)))
        all.push_back({launches[i], each, *value, old});
    }
  }
  return all;
}

std::vector<std::string> missing_in_baseline(Launches launches,
                                             const std::vector<Condition>& conditions) {
  for (const Condition& each : conditions) {
    if (!each.baseline) continue;
    std::map<std::string, std::size_t> missing;
    const auto before = partners(launches, *each.baseline);
    for (std::size_t i = 0; i < launches.size(); ++i)
      if (before[i] == nullptr) ++missing[launches[i]->kernel];
    std::vector<std::string> lines;
    for (const auto& [kernel, count] : missing)
      lines.push_back(fmt::format("{}: {} launch{} not in the baseline, so not compared",
                                  visible(display_name(kernel)), count,
                                  count == 1 ? " is" : "es are"));
    return lines;
  }
  return {};
}

std::string violation_text(const Violation& violation) {
  const simulator::Metric& metric = *violation.condition.metric;
  std::string before;
  if (violation.before)
    before = fmt::format(" after {} in the baseline", readable(*violation.before));
  return fmt::format("{} is {}{}{}{}: --fail-on '{}' holds", short_name(metric),
                     readable(violation.value), metric.unit.empty() ? "" : " ", metric.unit, before,
                     visible(violation.condition.text));
}

}  // namespace heddle::cli
