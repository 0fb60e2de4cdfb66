#include "cli/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/difference_lines.hpp"
#include "cli/selection.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

using simulator::LaunchRecord;
using simulator::MetricValues;

using LaunchList = std::vector<const LaunchRecord*>;

// The launches of each kernel, kernels in the order in which they were first launched.
std::vector<std::pair<std::string, LaunchList>> by_kernel(const simulator::Record& record) {
  std::vector<std::pair<std::string, LaunchList>> kernels;
  for (const LaunchRecord& launch : record.launches) {
    auto found =
        std::ranges::find(kernels, launch.kernel, [](const auto& each) { return each.first; });
    if (found == kernels.end()) found = kernels.emplace(found, launch.kernel, LaunchList{});
    found->second.push_back(&launch);
  }
  return kernels;
}

// Which kernel of `other` stands for each of `first`: its name, or nothing.
class Matching {
 public:
  Matching(std::vector<std::string> first, std::vector<std::string> other)
      : first_(std::move(first)), other_(std::move(other)) {}

  void as_asked(const std::vector<std::pair<std::string, std::string>>& pairs) {
    for (const auto& [a, b] : pairs) {
      const std::string* from = chosen(first_, a);
      const std::string* to = chosen(other_, b);
      if (from != nullptr && to != nullptr) take(*from, *to);
    }
  }
  template <typename Name>
  void by(Name name) {
    for (const std::string& each : first_) {
      if (found_.contains(each)) continue;
      std::vector<const std::string*> same;
      for (const std::string& candidate : other_)
        if (!taken_.contains(candidate) && name(candidate) == name(each))
          same.push_back(&candidate);
      const auto rivals = std::ranges::count_if(first_, [&](const std::string& rival) {
        return !found_.contains(rival) && name(rival) == name(each);
      });
      if (same.size() == 1 && rivals == 1) take(each, *same.front());
    }
  }
  // One on each side is left: they must be meant.
  std::optional<std::pair<std::string, std::string>> left_over() {
    const auto alone = [](const std::vector<std::string>& all, const auto& gone) {
      std::vector<std::string> left;
      for (const std::string& each : all)
        if (!gone.contains(each)) left.push_back(each);
      return left;
    };
    const auto a = alone(first_, found_), b = alone(other_, taken_);
    if (a.size() != 1 || b.size() != 1) return std::nullopt;
    take(a.front(), b.front());
    return std::pair(a.front(), b.front());
  }
  const std::string* of(const std::string& kernel) const {
    const auto found = found_.find(kernel);
    return found == found_.end() ? nullptr : &found->second;
  }
  std::vector<std::string> unmatched() const {
    std::vector<std::string> left;
    for (const std::string& each : other_)
      if (!taken_.contains(each)) left.push_back(each);
    return left;
  }

 private:
  static const std::string* chosen(const std::vector<std::string>& all, const std::string& name) {
    const simulator::KernelFilter filter(name);
    const auto found =
        std::ranges::find_if(all, [&](const auto& each) { return filter.matches(each); });
    return found == all.end() ? nullptr : &*found;
  }
  void take(const std::string& from, const std::string& to) {
    found_[from] = to;
    taken_.insert(to);
  }

  std::vector<std::string> first_, other_;
  std::map<std::string, std::string> found_;
  std::set<std::string> taken_;
};

std::vector<std::string> names_of(const std::vector<std::pair<std::string, LaunchList>>& kernels) {
  std::vector<std::string> names;
  for (const auto& [name, launches] : kernels) names.push_back(name);
  return names;
}

// What is a sum or stands by itself is averaged; what is made of it follows.
MetricValues mean_of(const LaunchList& launches) {
  MetricValues mean;
  for (const auto& [name, value] : launches.front()->metrics) {
    const simulator::Metric* metric = simulator::find_metric(name.text());
    if (launches.size() > 1 && metric != nullptr && !metric->per.empty()) continue;
    double sum = 0;
    for (const LaunchRecord* launch : launches)
      if (const auto found = launch->metrics.find(name); found != launch->metrics.end())
        sum += found->second;
    mean[name] = sum / static_cast<double>(launches.size());
  }
  if (launches.size() > 1) simulator::complete(mean);
  return mean;
}

Side side_of(const LaunchList& launches) {
  Side side;
  if (launches.empty()) return side;
  const LaunchRecord& first = *launches.front();
  side.launch = first;
  side.launch.instructions.clear();
  side.launch.metrics = mean_of(launches);
  for (const LaunchRecord* launch : launches) side.launches.push_back(launch->index);
  return side;
}

using Shape = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint32_t>;
Shape shape_of(const LaunchRecord& launch) {
  return {launch.grid.x,
          launch.grid.y,
          launch.grid.z,
          launch.block.x,
          launch.block.y,
          launch.block.z,
          launch.dynamic_shared_bytes};
}

// The launches of one kernel in each variant, by their order; those of the same shapes together.
std::vector<std::vector<LaunchList>> by_shape(const std::vector<const LaunchList*>& launches) {
  std::vector<std::vector<LaunchList>> groups;
  std::map<std::vector<Shape>, std::size_t> known;
  std::size_t count = launches.front()->size();
  for (const LaunchList* each : launches) count = std::min(count, each->size());
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<Shape> shapes;
    for (const LaunchList* each : launches) shapes.push_back(shape_of(*(*each)[n]));
    const auto [found, is_new] = known.try_emplace(shapes, groups.size());
    if (is_new) groups.emplace_back(launches.size());
    for (std::size_t side = 0; side < launches.size(); ++side)
      groups[found->second][side].push_back((*launches[side])[n]);
  }
  return groups;
}

std::string shown(const std::string& kernel) { return visible(display_name(kernel)); }

// Of every variant but the first.
std::vector<Matching> match(const std::vector<std::vector<std::pair<std::string, LaunchList>>>& all,
                            const std::vector<std::pair<std::string, std::string>>& asked,
                            Difference& result) {
  std::vector<Matching> matchings;
  for (std::size_t i = 1; i < all.size(); ++i) {
    Matching matching(names_of(all[0]), names_of(all[i]));
    matching.as_asked(asked);
    matching.by([](const std::string& name) { return name; });
    matching.by([](const std::string& name) { return base_name(name); });
    if (const auto pair = matching.left_over())
      result.notes.push_back(fmt::format("{} is compared with {}: no other kernel is left",
                                         shown(pair->first), shown(pair->second)));
    for (const std::string& each : matching.unmatched())
      result.notes.push_back(
          fmt::format("{} is not matched: --match NAME={}", shown(each), visible(base_name(each))));
    matchings.push_back(std::move(matching));
  }
  return matchings;
}

void check_asked(const std::vector<std::vector<std::pair<std::string, LaunchList>>>& all,
                 const std::vector<std::pair<std::string, std::string>>& asked) {
  const auto is_there = [](const auto& kernels, const std::string& name) {
    const simulator::KernelFilter filter(name);
    return std::ranges::any_of(kernels,
                               [&](const auto& each) { return filter.matches(each.first); });
  };
  for (const auto& [a, b] : asked) {
    if (!is_there(all[0], a))
      throw std::runtime_error(
          fmt::format("--match {}={}: the first variant has no kernel {}", a, b, a));
    if (!std::any_of(all.begin() + 1, all.end(),
                     [&, name = b](const auto& each) { return is_there(each, name); }))
      throw std::runtime_error(
          fmt::format("--match {}={}: no other variant has a kernel {}", a, b, b));
  }
}

}  // namespace

Difference difference(const std::vector<Variant>& variants,
                      const std::vector<std::pair<std::string, std::string>>& matches) {
  Difference result;
  std::vector<std::vector<std::pair<std::string, LaunchList>>> kernels;
  for (const Variant& variant : variants) {
    result.variants.push_back(variant.words);
    kernels.push_back(by_kernel(variant.record));
  }
  check_asked(kernels, matches);
  const std::vector<Matching> matchings = match(kernels, matches, result);
  for (const auto& [kernel, launches] : kernels[0]) {
    std::vector<const LaunchList*> sides{&launches};
    for (std::size_t i = 1; i < variants.size(); ++i)
      if (const std::string* partner = matchings[i - 1].of(kernel))
        sides.push_back(&std::ranges::find(kernels[i], *partner, [](const auto& each) {
                           return each.first;
                         })->second);
    if (sides.size() != variants.size()) {
      result.notes.push_back(fmt::format("{} is not matched: --match {}=NAME", shown(kernel),
                                         visible(base_name(kernel))));
      continue;
    }
    for (const LaunchList* each : sides)
      if (each->size() != launches.size()) {
        result.notes.push_back(fmt::format("{}: {} launches are compared with the first of {}",
                                           shown(kernel), std::min(each->size(), launches.size()),
                                           std::max(each->size(), launches.size())));
        break;
      }
    for (const std::vector<LaunchList>& group : by_shape(sides)) {
      KernelDifference& of_kernel = result.kernels.emplace_back();
      for (const LaunchList& each : group) of_kernel.sides.push_back(side_of(each));
      add_places(of_kernel, group, variants);
    }
  }
  return result;
}

bool differs(const KernelDifference& kernel) {
  const MetricValues& first = kernel.sides.front().launch.metrics;
  return std::ranges::any_of(kernel.sides, [&](const Side& side) {
    return !std::ranges::equal(first, side.launch.metrics, [](const auto& a, const auto& b) {
      return a.first.text() == b.first.text() && a.second == b.second;
    });
  });
}

}  // namespace heddle::cli
