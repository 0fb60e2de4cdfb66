#include "cli/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "cli/sketch_file.hpp"
#include "simulator/base/file.hpp"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostJobs = 100'000;

// Options of heddle run whose values are swept as they are.
constexpr const char* kOptions[] = {"gpu",           "block",     "grid",   "sms", "predication",
                                    "reconvergence", "scheduler", "caches", "seed"};
// Options whose values have names of their own, and what their axes are called.
constexpr std::pair<const char*, const char*> kNamed[] = {
    {"set", "set"}, {"param", "param"}, {"define", "define"}};

// "2^16" and plain numbers.
std::optional<std::uint64_t> whole(std::string_view text) {
  const std::size_t caret = text.find('^');
  const auto read = [](std::string_view part) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    return value;
  };
  if (caret == text.npos) return read(text);
  const auto base = read(text.substr(0, caret)), power = read(text.substr(caret + 1));
  constexpr std::uint64_t kMostPower = 62, kMost = std::uint64_t{1} << 62;
  if (!base || !power || *power > kMostPower) return std::nullopt;
  std::uint64_t value = 1;
  for (std::uint64_t i = 0; i < *power; ++i) {
    if (*base != 0 && value > kMost / *base) return std::nullopt;
    value *= *base;
  }
  return value;
}

struct Step {
  char how;  // 'x' or '+'
  std::uint64_t by;
};

[[noreturn]] void refuse_range(const std::string& option, const std::string& text) {
  throw Usage(fmt::format(
      "--{}: {} is not a range; write FROM..TO:xFACTOR as in 64..1024:x2, FROM..TO:+STEP as in "
      "8..32:+8, or 2^A..2^B",
      option, text));
}

std::vector<std::string> range(const std::string& option, const std::string& text,
                               std::size_t dots) {
  const std::size_t colon = text.find(':');
  const std::string from = text.substr(0, dots),
                    to = text.substr(dots + 2, colon == text.npos ? colon : colon - dots - 2);
  std::optional<Step> step;
  if (colon != text.npos && colon + 2 < text.size()) {
    const auto by = whole(std::string_view(text).substr(colon + 2));
    const char how = text[colon + 1];
    if (by && (how == 'x' ? *by > 1 : how == '+' && *by > 0)) step = Step{how, *by};
  } else if (colon == text.npos && from.starts_with("2^") && to.starts_with("2^")) {
    step = Step{'x', 2};
  }
  const auto first = whole(from), last = whole(to);
  if (!step || !first || !last || *first > *last || (step->how == 'x' && *first == 0))
    refuse_range(option, text);
  std::vector<std::string> values;
  for (std::uint64_t value = *first; value <= *last;
       value = step->how == 'x' ? value * step->by : value + step->by) {
    values.push_back(fmt::format("{}", value));
    if (values.size() > kMostJobs || value > *last / (step->how == 'x' ? step->by : 1)) break;
  }
  return values;
}

// The words that an option of heddle run takes.
std::vector<std::string> names_of(std::string_view option) {
  const Command& run = find_command("run");
  const auto found = std::ranges::find(run.options, option, &Option::name);
  std::vector<std::string> names;
  if (found != run.options.end() && found->names != nullptr) names = found->names();
  std::erase(names, "all");
  return names;
}

Axis axis_of(const std::string& name, const std::string& text) {
  Axis axis{name, {}};
  const std::string option = name.substr(0, name.find(':'));
  const std::vector<std::string> names = names_of(name);
  if (text == "all" && !names.empty()) {
    axis.values = names;
    return axis;
  }
  axis.values = expand_values(option, text);
  for (const std::string& value : axis.values)
    if (!names.empty() && std::ranges::find(names, value) == names.end())
      throw Usage(fmt::format("--{}: no {}{}", name, value, suggestion(value, names)));
  return axis;
}

std::vector<Axis> axes_of(const Arguments& arguments) {
  std::vector<Axis> axes;
  for (const char* option : kOptions)
    if (arguments.has(option)) axes.push_back(axis_of(option, arguments.value(option)));
  for (const auto& [option, kind] : kNamed)
    for (const std::string& text : arguments.values(option)) {
      const std::size_t equals = text.find('=');
      if (equals == 0 || equals == text.npos)
        throw Usage(fmt::format("--{}: expected NAME=VALUES, found {}", option, text));
      axes.push_back(
          axis_of(fmt::format("{}:{}", kind, text.substr(0, equals)), text.substr(equals + 1)));
    }
  return axes;
}

// A table with commas: the axes' names above their values.
SweepPlan plan_of_file(const std::string& path) {
  constexpr std::uint64_t kMost = 1 << 26;
  std::istringstream stream(simulator::read_file(path, kMost));
  SweepPlan plan;
  std::string line;
  const auto cells = [](std::string text) {
    std::erase(text, '\r');
    std::vector<std::string> all;
    std::istringstream row(text);
    for (std::string cell; std::getline(row, cell, ',');) all.push_back(cell);
    return all;
  };
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> row = cells(line);
    if (plan.axes.empty()) {
      for (const std::string& name : row) {
        const std::string kind = name.substr(0, name.find(':'));
        const bool named =
            name.size() > kind.size() + 1 &&
            std::ranges::any_of(kNamed, [&](const auto& e) { return kind == e.second; });
        if (!named && std::ranges::find(kOptions, name) == std::end(kOptions))
          throw Usage(
              fmt::format("{}:1: {} is not a setting of a sweep; write block, gpu, sms, "
                          "param:NAME, set:NAME, define:NAME and the like",
                          path, name));
        plan.axes.push_back({name, {}});
      }
      continue;
    }
    if (row.size() != plan.axes.size())
      throw Usage(fmt::format("{}:{}: {} values for {} columns", path, number, row.size(),
                              plan.axes.size()));
    plan.jobs.push_back({row, {}});
    for (std::size_t i = 0; i < row.size(); ++i) plan.axes[i].values.push_back(row[i]);
  }
  if (plan.jobs.empty()) throw Usage(fmt::format("{}: no rows below the header", path));
  return plan;
}

void combine(SweepPlan& plan) {
  std::size_t count = 1;
  for (const Axis& axis : plan.axes) {
    count *= axis.values.size();
    if (count > kMostJobs)
      throw Usage(fmt::format("more than {} combinations; leave some values out", kMostJobs));
  }
  for (std::size_t n = 0; n < count; ++n) {
    Job job;
    std::size_t rest = n, of_rest = count;
    for (const Axis& axis : plan.axes) {
      of_rest /= axis.values.size();
      job.values.push_back(axis.values[rest / of_rest]);
      rest %= of_rest;
    }
    plan.jobs.push_back(std::move(job));
  }
}

// The n-th values of all; one value stands for as many as there are.
void zip(SweepPlan& plan) {
  std::size_t count = 1;
  for (const Axis& axis : plan.axes) count = std::max(count, axis.values.size());
  for (const Axis& axis : plan.axes)
    if (axis.values.size() != 1 && axis.values.size() != count)
      throw Usage(fmt::format("--zip: {} has {} values where others have {}", axis.label(),
                              axis.values.size(), count));
  for (std::size_t n = 0; n < count; ++n) {
    Job job;
    for (const Axis& axis : plan.axes)
      job.values.push_back(axis.values[axis.values.size() == 1 ? 0 : n]);
    plan.jobs.push_back(std::move(job));
  }
}

// Replaces {NAME}; whether it was there.
bool fill(std::vector<std::string>& words, const std::string& name, const std::string& value) {
  const std::string place = fmt::format("{{{}}}", name);
  bool found = false;
  for (std::string& word : words)
    for (std::size_t at = word.find(place); at != word.npos; at = word.find(place, at)) {
      word.replace(at, place.size(), value);
      at += value.size();
      found = true;
    }
  return found;
}

// 16x16 is 16,16 to heddle run.
std::string shape(std::string value) {
  std::ranges::replace(value, 'x', ',');
  return value;
}

std::vector<std::string> words_of(const SweepPlan& plan, const Job& job,
                                  const std::vector<std::string>& command) {
  std::vector<std::string> words = command, options, set;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    const std::string &name = plan.axes[i].name, &value = job.values[i];
    const std::string label = plan.axes[i].label();
    if (name.starts_with("set:")) {
      set.push_back(fmt::format("{}={}", label, value));
    } else if (name.starts_with("define:")) {
      options.push_back(fmt::format("--define={}={}", label, value));
    } else if (name.starts_with("param:")) {
      if (fill(words, label, value)) continue;
      if (std::ranges::none_of(command, is_sketch))
        throw Usage(fmt::format(
            "--param {}: no argument of the program is {{{}}}; write that where its value goes",
            label, label));
      options.push_back(fmt::format("--param={}={}", label, value));
    } else {
      options.push_back(
          fmt::format("--{}={}", name, name == "block" || name == "grid" ? shape(value) : value));
    }
  }
  if (!set.empty()) options.push_back(fmt::format("--set={}", fmt::join(set, ",")));
  options.insert(options.end(), words.begin(), words.end());
  return options;
}

}  // namespace

std::vector<std::string> expand_values(const std::string& option, const std::string& text) {
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    if (item.empty()) throw Usage(fmt::format("--{}: a value is missing in {}", option, text));
    if (const std::size_t dots = item.find(".."); dots != item.npos) {
      for (std::string& value : range(option, item, dots)) values.push_back(std::move(value));
    } else {
      const auto power = item.find('^') != item.npos ? whole(item) : std::nullopt;
      values.push_back(power ? fmt::format("{}", *power) : item);
    }
    at = end + 1;
  }
  return values;
}

SweepPlan sweep_plan(const Arguments& arguments) {
  std::vector<std::string> command = arguments.words;
  command.insert(command.end(), arguments.program.begin(), arguments.program.end());
  if (command.empty())
    throw Usage(
        "give a program or another input of heddle run, as in: heddle sweep --block 64..1024:x2 "
        "k.warp");
  SweepPlan plan;
  if (arguments.has("from")) {
    plan = plan_of_file(arguments.value("from"));
    if (!axes_of(arguments).empty()) throw Usage("--from gives all runs: leave other lists out");
  } else {
    plan.axes = axes_of(arguments);
    if (plan.axes.empty())
      throw Usage("nothing varies: give a list or a range, as in --block 64..1024:x2");
    arguments.has("zip") ? zip(plan) : combine(plan);
  }
  for (Job& job : plan.jobs) job.words = words_of(plan, job, command);
  return plan;
}

}  // namespace heddle::cli
