#include "simulator/launch/timing_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "simulator/base/spelling.hpp"
#include "simulator/models/timing_constants.hpp"

namespace heddle::simulator::timing {
namespace {

std::uint32_t number(std::string_view key, std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("{}={}: not a whole number below 2^32", key, text));
  return value;
}

constexpr double kPercent = 100, kMega = 1e6;

// "5%": a part of the waves; "20M": that number of instructions.
void read_sample(std::string_view text, Options& options) {
  constexpr double kMost = 1e12;
  double value = 0;
  const char* const last = text.data() + text.size() - (text.empty() ? 0 : 1);
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const bool is_number = error == std::errc{} && end == last;
  if (is_number && text.ends_with('%') && value > 0 && value <= kPercent) {
    options.sample = value / kPercent;
  } else if (is_number && text.ends_with('M') && value >= 1 && value * kMega <= kMost) {
    options.sample_instructions = static_cast<std::uint64_t>(value * kMega);
  } else {
    throw std::invalid_argument(fmt::format(
        "sample={}: a part of the waves, above 0% and at most 100%, or at least 1M warp "
        "instructions, as in 20M",
        text));
  }
}

void check_constant(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ConstantInfo& each : kConstants) names.push_back(each.name);
  if (std::ranges::find(names, name) != names.end()) return;
  const std::string_view near = nearest(name, names);
  throw std::invalid_argument(
      near.empty() ? fmt::format("no timing constant \"{}\" (docs/timing.md lists them)", name)
                   : fmt::format("no timing constant \"{}\"; did you mean \"{}\"?", name, near));
}

void read_item(std::string_view item, Options& options) {
  if (item == "on" || item.empty()) return;
  const std::size_t equals = item.find('=');
  const std::string_view key = item.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
  if (key == "scheduler") {
    options.policy = policy_named(value);
  } else if (key == "caches") {
    if (value != "cold" && value != "warm")
      throw std::invalid_argument(fmt::format("caches={}: cold or warm", value));
    options.cold_caches = value == "cold";
  } else if (key == "sms") {
    options.sms = number(key, value);
    if (options.sms == 0 || options.sms > kMostSms)
      throw std::invalid_argument(fmt::format("sms={}: 1 to {}", value, kMostSms));
  } else if (key == "sample") {
    read_sample(value, options);
  } else {
    check_constant(key);
    options.overrides.emplace_back(key, number(key, value));
  }
}

// The number with the fewest digits near `number` that `reads_right`.
template <typename ReadsRight>
double rounded(double number, ReadsRight reads_right) {
  constexpr int kMostDigits = 17;
  double result = number;
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const std::string text = fmt::format("{:.{}g}", number, digits);
    std::from_chars(text.data(), text.data() + text.size(), result);
    if (reads_right(result)) break;
  }
  return result;
}

double percent(double sample) {
  return rounded(sample * kPercent, [&](double read) { return read / kPercent == sample; });
}

double mega(std::uint64_t instructions) {
  return rounded(static_cast<double>(instructions) / kMega, [&](double read) {
    return static_cast<std::uint64_t>(read * kMega) == instructions;
  });
}

}  // namespace

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const PolicyInfo& known : kPolicies) names.push_back(known.name);
  return names;
}

Policy policy_named(std::string_view name) {
  for (const PolicyInfo& known : kPolicies)
    if (known.name == name) return known.policy;
  throw std::invalid_argument(
      fmt::format("no scheduler \"{}\"; there are {}", name, fmt::join(policy_names(), ", ")));
}

std::string to_text(const Options& options) {
  const Options usual;
  std::string text = "on";
  const auto add = [&](std::string_view key, const auto& value) {
    text += fmt::format(",{}={}", key, value);
  };
  if (options.policy != usual.policy)
    add("scheduler", std::ranges::find(kPolicies, options.policy, &PolicyInfo::policy)->name);
  if (!options.cold_caches) add("caches", "warm");
  if (options.sms != 0) add("sms", options.sms);
  if (options.sample != 1) text += fmt::format(",sample={}%", percent(options.sample));
  if (options.sample_instructions != 0)
    text += fmt::format(",sample={}M", mega(options.sample_instructions));
  for (const auto& [name, value] : options.overrides) add(name, value);
  return text;
}

Options parse_options(std::string_view text) {
  Options options;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    read_item(text.substr(0, comma), options);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return options;
}

}  // namespace heddle::simulator::timing
