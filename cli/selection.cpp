#include "cli/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <regex>
#include <set>

#include "cli/text.hpp"
#include "simulator/near.hpp"

namespace heddle::cli {
namespace {

constexpr std::string_view kRegex = "regex:";

class KernelFilter {
 public:
  explicit KernelFilter(std::string text) : name_(std::move(text)) {
    if (!name_.starts_with(kRegex)) return;
    try {
      pattern_.emplace(name_.substr(kRegex.size()));
    } catch (const std::regex_error& error) {
      throw Usage(fmt::format("--kernel: {} is not a regular expression: {}", name_, error.what()));
    }
  }
  bool matches(const std::string& kernel) const {
    if (name_.empty()) return true;
    if (pattern_) return std::regex_search(base_name(kernel), *pattern_);
    return kernel == name_ || base_name(kernel) == name_ || demangled(kernel) == name_;
  }

 private:
  std::string name_;
  std::optional<std::regex> pattern_;
};

[[noreturn]] void no_such_kernel(const simulator::Record& record, const std::string& name) {
  std::set<std::string> names;
  for (const auto& launch : record.launches) names.insert(base_name(launch.kernel));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view near = simulator::nearest(name, known);
  if (!near.empty()) throw Usage(fmt::format("no kernel {}; did you mean {}?", name, near));
  throw Usage(fmt::format("no kernel {}; there are {}", name, fmt::join(names, ", ")));
}

}  // namespace

std::string base_name(const std::string& kernel) {
  std::string name = demangled(kernel);
  // A template's demangled name begins with its return type.
  const std::size_t end = std::min(name.find_first_of("<("), name.size());
  const std::size_t blank = name.rfind(' ', end);
  return name.substr(blank == std::string::npos ? 0 : blank + 1,
                     end - (blank == std::string::npos ? 0 : blank + 1));
}

std::vector<const simulator::LaunchRecord*> chosen_launches(const simulator::Record& record,
                                                            const Arguments& arguments) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const std::string name = arguments.value("kernel");
  const KernelFilter filter(name);
  std::uint64_t skip = arguments.number("launch-skip", kAny).value_or(0);
  std::uint64_t left = arguments.number("launch-count", kAny).value_or(kAny);
  bool matched = false;
  std::vector<const simulator::LaunchRecord*> chosen;
  for (const auto& launch : record.launches) {
    if (!filter.matches(launch.kernel)) continue;
    matched = true;
    if (skip > 0) {
      --skip;
    } else if (left > 0) {
      --left;
      chosen.push_back(&launch);
    }
  }
  if (!matched && !record.launches.empty()) no_such_kernel(record, name);
  return chosen;
}

std::vector<const simulator::Metric*> chosen_metrics(const Arguments& arguments) {
  std::vector<const simulator::Metric*> chosen;
  for (const std::string& name : arguments.list("metrics")) {
    const simulator::Metric* metric = simulator::find_metric(name);
    if (metric == nullptr) {
      const std::string_view near = simulator::nearest_metric(name);
      throw Usage(near.empty() ? fmt::format("no metric {}; --query-metrics lists them", name)
                               : fmt::format("no metric {}; did you mean {}?", name, near));
    }
    chosen.push_back(metric);
  }
  return chosen;
}

}  // namespace heddle::cli
