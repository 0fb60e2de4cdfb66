#include "traces/analysis/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulator/base/code_address.hpp"
#include "simulator/base/display_numbers.hpp"
#include "traces/analysis/launch_advice.hpp"
#include "traces/analysis/launch_cost.hpp"
#include "traces/analysis/listing.hpp"
#include "traces/analysis/memory_advice.hpp"
#include "traces/analysis/steady_branches.hpp"
#include "traces/analysis/values.hpp"

namespace heddle::traces {
namespace {

using simulator::kFullMask;
using simulator::kWarpSize;
using simulator::readable_whole;

constexpr std::size_t kMostAdvice = 5;
constexpr const char* kInVain =
    " Another arrangement of a block's threads would save almost nothing, because too few lanes "
    "diverge. It helps to share the work among lanes (shuffles within the warp, such as "
    "__shfl_down_sync), to execute this step less often, or to leave it as it is.";

double slots(std::uint64_t lane_slots) { return static_cast<double>(lane_slots) / kWarpSize; }

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string times(std::uint64_t count) {
  return fmt::format("{} time{}", readable_whole(count), count == 1 ? "" : "s");
}

std::string warp_instructions(double count) {
  const std::string text = readable_whole(count);
  return fmt::format("{} warp instruction{}", text, text == "1" ? "" : "s");
}

// Lanes first, first + n, first + 2n … up to the last that fits; 0: no such n.
unsigned stride_of(Mask lanes) {
  if (lanes.count() < 2) return 0;
  const auto first = lanes.first();
  const auto n = lanes.without_first().first() - first;
  Mask expected;
  for (unsigned lane = first; lane < kWarpSize; lane += n) expected |= Mask::of(lane);
  return lanes == expected && first < n ? n : 0;
}

// A set that a thread's index alone gives, seen from either side of the branch.
bool has_rule(Mask lanes, Mask active) {
  for (const Mask side : {lanes, active & ~lanes})
    if (side.is_run() || stride_of(side) != 0) return true;
  return false;
}

std::string ordinal(unsigned n) {
  return n == 2 ? "other" : n == 3 ? "3rd" : fmt::format("{}th", n);
}

// What a path's lanes execute until they are off it, deeper paths included.
std::vector<std::uint64_t> steps_with_deeper(const std::vector<Path>& paths) {
  std::vector<std::uint64_t> steps(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t at = i;; at = paths[at].parent) {
      steps[at] += paths[i].steps;
      if (at == kRootPath) break;
    }
  return steps;
}

struct Side {
  std::uint64_t entered = 0, steps = 0;
  double length() const {
    return entered == 0 ? 0 : static_cast<double>(steps) / static_cast<double>(entered);
  }
};

struct Sides {
  Side jumps, goes_on;
};

Sides sides_of(const std::vector<Path>& paths, std::uint32_t branch) {
  const std::vector<std::uint64_t> steps = steps_with_deeper(paths);
  Sides sides;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    if (paths[i].branch != branch) continue;
    Side& side = paths[i].target == branch + 1 ? sides.goes_on : sides.jumps;
    side.entered += paths[i].entered;
    side.steps += steps[i];
  }
  return sides;
}

class Adviser {
 public:
  Adviser(const simulator::LaunchRequest& request, const DivergenceWatch& watch,
          const simulator::GpuModel* gpu)
      : request_(request),
        watch_(watch),
        divergence_(watch.divergence()),
        regrouping_(watch.regrouping()),
        gpu_(gpu),
        cost_(std::max(kIssueCycles, launch_cost(watch))),
        listing_(*request.module) {}

  std::vector<Advice> all() {
    std::vector<std::pair<double, Advice>> found =
        memory_advice(request_, watch_.accesses(), cost_, listing_);
    for (const auto& [branch, site] : divergence_.sites())
      if (const double share = cost_share(site.lost); share >= kWorthSaying)
        found.emplace_back(share, of_branch(branch, site, share_of(site.lost)));
    add_steady(found);
    const SlotBudget& budget = divergence_.slots();
    if (const double share = cost_share(budget.never_started); share >= kWorthSaying)
      found.emplace_back(share, of_block_size(share_of(budget.never_started)));
    if (const double share = cost_share(budget.ended); share >= kWorthSaying)
      found.emplace_back(share, of_ended(share_of(budget.ended)));
    const auto costliest = [](auto& all) {
      std::ranges::stable_sort(all, std::ranges::greater(),
                               [](const auto& each) { return each.first; });
    };
    costliest(found);
    // How blocks fill the GPU is another matter than what they do: it comes behind.
    if (gpu_ != nullptr) {
      auto of_launch = launch_advice(request_, watch_.accesses(), *gpu_);
      costliest(of_launch);
      found.resize(std::min(found.size(), kMostAdvice - std::min(kMostAdvice, of_launch.size())));
      for (auto& each : of_launch) found.push_back(std::move(each));
    }
    if (found.size() > kMostAdvice) found.resize(kMostAdvice);
    std::vector<Advice> result;
    for (auto& [share, advice] : found) result.push_back(std::move(advice));
    return result;
  }

 private:
  double share_of(std::uint64_t lane_slots) const {
    return slots(lane_slots) / static_cast<double>(std::max<std::uint64_t>(1, divergence_.steps()));
  }

  // Of all that the launch costs.
  double cost_share(std::uint64_t lane_slots) const {
    return kIssueCycles * slots(lane_slots) / cost_;
  }

  std::string place(std::uint32_t pc) { return listing_.place_text(pc, request_.kernel->name); }

  Advice of_branch(std::uint32_t branch, const SplitSite& site, double share) {
    Advice advice;
    advice.pc = branch;
    advice.title = fmt::format("{} diverges: {} of the issue slots", place(branch), percent(share));
    const SplitKind kind = kind_of(site);
    const Sides sides = sides_of(divergence_.paths(), branch);
    advice.text = fmt::format("{} diverged {}. ", listing_.at(branch).text, times(site.splits));
    advice.text += how(site, kind);
    if (kind != SplitKind::trips)
      advice.text += fmt::format(" The taken side executes {}, the fall-through side {}.",
                                 warp_instructions(sides.jumps.length()),
                                 readable_whole(sides.goes_on.length()));
    advice.text += met(site);
    const WhatIf other = what_if(branch, kind, sides);
    advice.text += other.in_vain ? kInVain : remedy(kind, sides);
    advice.text += other.text;
    return advice;
  }

  // Which lanes went where.
  static std::string how(const SplitSite& site, SplitKind kind) {
    if (kind == SplitKind::trips)
      return fmt::format(
          "It ends a loop that lanes leave at different times: {} of these times, lanes that had "
          "left earlier were waiting.",
          readable_whole(site.again));
    const auto commonest = std::ranges::max_element(
        site.patterns, {}, [](const auto& pattern) { return pattern.second; });
    const auto& [active, jumping] = commonest->first;
    const std::string lanes = describe_lanes(jumping);
    if (site.patterns.size() == 1 && site.other_patterns == 0)
      return fmt::format("Each time {} of {} lanes jump: {}.", jumping.count(), active.count(),
                         lanes);
    return fmt::format("{}{} different sets of lanes jump, most often {} ({}).",
                       site.other_patterns > 0 ? "More than " : "", site.patterns.size(), lanes,
                       times(commonest->second));
  }

  std::string met(const SplitSite& site) {
    if (site.met.empty()) return " The lanes did not reconverge.";
    const auto commonest =
        std::ranges::max_element(site.met, {}, [](const auto& each) { return each.second; });
    return fmt::format(" They reconverge at {}.", place(commonest->first));
  }

  static std::string remedy(SplitKind kind, const Sides& sides) {
    constexpr double kShort =
        8;  // warp instructions that are as cheap to execute as to branch over
    const bool is_short = sides.jumps.length() <= kShort && sides.goes_on.length() <= kShort;
    if (kind == SplitKind::trips)
      return " It helps to give lanes of a warp loops of equal length (sort the work by its "
             "length, or let a whole warp share one long loop); where trip counts are small, to "
             "unroll.";
    if (is_short)
      return " Both sides are short: computing both and choosing (a ? b : c) needs no branch; what "
             "the sides have in common can be hoisted out of them.";
    if (kind == SplitKind::lanes)
      return " The lane's number decides: it helps to align the condition to warps, so that 32 "
             "neighbouring threads go the same way (index by threadIdx.x / 32, or let the first "
             "threads do all the work).";
    return " The data decide: it helps to sort or bin them so that neighbours go the same way, or "
           "to hoist what both sides have in common out of them.";
  }

  // Only what the run gives is computed: how often the sides would run, and what a run of them
  // costs.
  struct WhatIf {
    std::string text;
    bool in_vain = false;  // known not to save anything
  };
  WhatIf what_if(std::uint32_t branch, SplitKind kind, const Sides& sides) const {
    const auto found = regrouping_.branches().find(branch);
    if (found == regrouping_.branches().end()) return {};
    const Regrouped& runs = found->second;
    const auto saved = [](const Regrouped::Runs& of, double length) {
      return static_cast<double>(of.now - of.best) * length;
    };
    const auto all = static_cast<double>(divergence_.steps());
    double fewer = 0;
    std::string what;
    if (kind == SplitKind::trips) {
      fewer = saved(runs.branch, runs.trip_length());
      what = fmt::format(
          "With each block's threads sorted by trip count, warps would iterate {} "
          "times instead of {}",
          readable_whole(runs.branch.best), readable_whole(runs.branch.now));
    } else {
      fewer = saved(runs.jumps, sides.jumps.length()) + saved(runs.goes_on, sides.goes_on.length());
      what = fmt::format(
          "With each block's threads arranged so that whole warps go one way, the "
          "sides would run {} times instead of {}",
          readable_whole(runs.jumps.best + runs.goes_on.best),
          readable_whole(runs.jumps.now + runs.goes_on.now));
    }
    // The cost of other splits does not count here, even if the same arrangement would reduce it.
    fewer = std::min(fewer, slots(divergence_.sites().at(branch).lost));
    constexpr double kSaves = 0.01;
    if (fewer < kSaves * all) return {.text = {}, .in_vain = true};
    const std::string text = fmt::format(
        " What if: {}, and the launch would issue {} warp instructions at best "
        "instead of {} ({} fewer).",
        what, readable_whole(all - fewer), readable_whole(divergence_.steps()),
        percent(fewer / all));
    return {.text = text, .in_vain = false};
  }

  // Branches that warps take as one and a loop could do without.
  void add_steady(std::vector<std::pair<double, Advice>>& found) {
    const isa::Program& program = request_.module->program();
    for (const isa::CodeRange& range : program.ranges) {
      if (watch_.executed(simulator::index_of_code_address(range.address)) == 0) continue;
      for (const SteadyBranch& each : steady_branches(*request_.module, range)) {
        if (divergence_.sites().contains(each.branch)) continue;
        const std::uint64_t once = watch_.executed(each.before);
        const auto saved = [&](std::uint32_t pc) {
          return watch_.executed(pc) - std::min(once, watch_.executed(pc));
        };
        std::uint64_t fewer = saved(each.branch);
        for (const std::uint32_t test : each.tests) fewer += saved(test);
        const double cycles = kIssueCycles * static_cast<double>(fewer);
        if (cycles >= kWorthSaying * cost_)
          found.emplace_back(cycles / cost_, of_steady(each, once, cycles));
      }
    }
  }

  Advice of_steady(const SteadyBranch& steady, std::uint64_t once, double cycles) {
    return {
        fmt::format("{} tests a loop-invariant condition in a loop: {} of the cost",
                    place(steady.branch), percent(cycles / cost_)),
        fmt::format(
            "{} is executed {}. All lanes of a warp agree each time, and nothing in the loop "
            "that begins at {} changes the condition: tested before the loop, it would be "
            "executed {}. It helps to have a loop for each side, or to make the condition a "
            "template parameter. What if: without it the launch would keep its SMs busy for {} "
            "cycles instead of {}.",
            listing_.at(steady.branch).text, times(watch_.executed(steady.branch)),
            place(steady.loop), times(once), readable_whole(cost_ - cycles), readable_whole(cost_)),
        steady.branch};
  }

  Advice of_block_size(double share) const {
    const std::uint64_t threads = request_.block.count();
    const std::uint64_t up = (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
    return {fmt::format("Blocks of {} threads: {} of the lane slots have no thread", threads,
                        percent(share)),
            fmt::format("{} is no multiple of 32, so the last warp of each block has {} lanes "
                        "without a thread. Blocks of {} threads would need as many warps.",
                        threads, up - threads, up),
            -1};
  }

  Advice of_ended(double share) const {
    return {
        fmt::format("Threads that end early: {} of the lane slots", percent(share)),
        "Some lanes of a warp had exited while others continued. This cannot be avoided where "
        "the work is not a multiple of the block size; elsewhere let whole warps exit together.",
        -1};
  }

  const simulator::LaunchRequest& request_;
  const DivergenceWatch& watch_;
  const Divergence& divergence_;
  const Regrouping& regrouping_;
  const simulator::GpuModel* const gpu_;
  const double cost_;
  Listing listing_;
};

}  // namespace

SplitKind kind_of(const SplitSite& site) {
  // A loop's branch splits what is left of a warp that it had split before.
  if (2 * site.again >= site.splits && site.again > 0) return SplitKind::trips;
  std::uint64_t ruled = 0, all = site.other_patterns;
  for (const auto& [lanes, times] : site.patterns) {
    all += times;
    if (has_rule(lanes.second, lanes.first)) ruled += times;
  }
  // Data make few sets that follow a rule; and one set that comes each time follows one.
  const bool one = site.patterns.size() == 1 && site.other_patterns == 0 && site.splits > 1;
  return one || 10 * ruled >= 9 * all ? SplitKind::lanes : SplitKind::data;
}

std::string describe_lanes(Mask lanes) {
  if (lanes == kFullMask) return "all lanes";
  if (const unsigned n = stride_of(lanes); n >= 2) {
    const unsigned first = lanes.first();
    if (n == 2) return first == 0 ? "the even lanes" : "the odd lanes";
    return fmt::format("every {} lane{}", ordinal(n),
                       first == 0 ? "" : fmt::format(" from {}", first));
  }
  if (const unsigned n = stride_of(~lanes); n >= 2) {
    const unsigned first = (~lanes).first();
    return fmt::format("all but every {} lane{}", ordinal(n),
                       first == 0 ? "" : fmt::format(" from {}", first));
  }
  if (lanes.is_run() || (~lanes).is_run()) {
    const std::string text = lanes_text(lanes);
    return fmt::format("lane{} {}", lanes.count() == 1 ? "" : "s", text);
  }
  constexpr unsigned kFew = 6;
  if (lanes.count() > kFew) return fmt::format("the lanes {:#010x}", lanes.bits());
  std::string text;
  for (Mask left = lanes; left.any(); left = left.without_first())
    text += fmt::format("{}{}", text.empty() ? "lanes " : ", ", left.first());
  return text;
}

double launch_cost(const DivergenceWatch& watch) {
  const AccessWatch& accesses = watch.accesses();
  return kIssueCycles * static_cast<double>(watch.divergence().steps()) +
         kPassCycles * static_cast<double>(accesses.passes()) +
         kSectorCycles * static_cast<double>(accesses.sectors()) +
         kCollisionCycles * static_cast<double>(accesses.collisions());
}

std::vector<Advice> advise(const simulator::LaunchRequest& request, const DivergenceWatch& watch,
                           const simulator::GpuModel* gpu) {
  return Adviser(request, watch, gpu).all();
}

}  // namespace heddle::traces
