#include "traces/analysis/outcome_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace heddle::traces {
namespace {

using simulator::Dim3;
using simulator::Mask;

// One thread at a branch once more.
struct Outcome {
  std::int64_t t = 0, x = 0, y = 0;  // in its block; in the grid
  std::uint32_t k = 0;               // how often it was here before
  bool taken = false;
};

class Outcomes {
 public:
  Outcomes(const std::vector<BranchEvent>& events, const Dim3& grid, const Dim3& block) {
    std::unordered_map<std::uint64_t, std::uint32_t> visits;
    const std::uint64_t threads = block.count();
    for (const BranchEvent& event : events)
      for (const unsigned lane : event.active) {
        const std::uint64_t t = event.warp * 32u + lane;
        Outcome outcome;
        outcome.t = static_cast<std::int64_t>(t);
        outcome.x = static_cast<std::int64_t>(event.block % grid.x * block.x + t % block.x);
        outcome.y = static_cast<std::int64_t>(event.block / grid.x % grid.y * block.y +
                                              t / block.x % block.y);
        outcome.k = visits[event.block * threads + t]++;
        outcome.taken = event.taken.has(lane);
        all_.push_back(outcome);
        taken_ += outcome.taken ? 1 : 0;
        most_k_ = std::max(most_k_, outcome.k);
      }
  }

  bool hold(const std::function<bool(const Outcome&)>& rule) const {
    return std::ranges::all_of(all_, [&](const Outcome& each) { return rule(each) == each.taken; });
  }
  const std::vector<Outcome>& all() const { return all_; }
  std::uint64_t taken() const { return taken_; }
  std::uint32_t most_k() const { return most_k_; }

 private:
  std::vector<Outcome> all_;
  std::uint64_t taken_ = 0;
  std::uint32_t most_k_ = 0;
};

// How a number may change with k.
struct Course {
  std::string text;
  std::function<std::int64_t(std::uint32_t)> at;
};

std::vector<Course> courses(std::int64_t start, const std::string& counter, bool changes) {
  std::vector<Course> all{{fmt::format("{}", start), [=](std::uint32_t) { return start; }}};
  if (!changes) return all;
  const auto bounded = [](std::uint32_t k) { return std::min(k, 40u); };
  all.push_back({fmt::format("({} >> {})", start, counter),
                 [=](std::uint32_t k) { return start >> bounded(k); }});
  all.push_back({fmt::format("({} << {})", start, counter),
                 [=](std::uint32_t k) { return start << bounded(k); }});
  all.push_back({fmt::format("({} + {})", start, counter),
                 [=](std::uint32_t k) { return start + std::int64_t{k}; }});
  all.push_back({fmt::format("({} - {})", start, counter),
                 [=](std::uint32_t k) { return start - std::int64_t{k}; }});
  return all;
}

struct Subject {
  char name;
  std::int64_t Outcome::*value;
};
constexpr Subject kSubjects[] = {{'t', &Outcome::t}, {'x', &Outcome::x}, {'y', &Outcome::y}};

OutcomeRule rule_of(char subject, std::string condition, std::string opposite, bool counts) {
  OutcomeRule rule;
  rule.condition = std::move(condition);
  rule.opposite = std::move(opposite);
  rule.counts = counts;
  rule.speaks_of_t = subject == 't';
  rule.speaks_of_x = subject == 'x';
  rule.speaks_of_y = subject == 'y';
  return rule;
}

// "below a bound": the bound is read off the threads that were here for the first time.
std::optional<OutcomeRule> by_bound(const Outcomes& outcomes, const std::string& counter) {
  for (const Subject& subject : kSubjects)
    for (const bool below : {true, false}) {
      std::int64_t highest_in = -1, lowest_out = -1;
      for (const Outcome& each : outcomes.all()) {
        if (each.k != 0) continue;
        const std::int64_t value = each.*subject.value;
        if (each.taken == below) {
          highest_in = std::max(highest_in, value);
        } else if (lowest_out < 0 || value < lowest_out) {
          lowest_out = value;
        }
      }
      const std::int64_t bound = lowest_out >= 0 ? lowest_out : highest_in + 1;
      for (const Course& course : courses(bound, counter, outcomes.most_k() > 0)) {
        const bool holds = outcomes.hold([&](const Outcome& each) {
          return (each.*subject.value < course.at(each.k)) == below;
        });
        if (holds)
          return rule_of(subject.name,
                         fmt::format("{} {} {}", subject.name, below ? "<" : ">=", course.text),
                         fmt::format("{} {} {}", subject.name, below ? ">=" : "<", course.text),
                         course.text.find(counter) != std::string::npos);
      }
    }
  return std::nullopt;
}

// "within the first columns and rows" of the grid, as a bounds check in two dimensions has it. With
// & in place of &&: it is one branch.
std::optional<OutcomeRule> by_rectangle(const Outcomes& outcomes, const std::string&) {
  for (const bool inside : {true, false}) {
    std::int64_t columns = 0, rows = 0;
    for (const Outcome& each : outcomes.all()) {
      if (each.taken != inside) continue;
      columns = std::max(columns, each.x + 1);
      rows = std::max(rows, each.y + 1);
    }
    const bool holds = outcomes.hold(
        [&](const Outcome& each) { return (each.x < columns && each.y < rows) == inside; });
    if (!holds) continue;
    OutcomeRule rule;
    rule.condition = fmt::format("(x < {}) & (y < {})", columns, rows);
    rule.opposite = fmt::format("(x >= {}) | (y >= {})", columns, rows);
    if (!inside) std::swap(rule.condition, rule.opposite);
    rule.speaks_of_x = rule.speaks_of_y = true;
    return rule;
  }
  return std::nullopt;
}

// "every m-th", of threads or of warps.
std::optional<OutcomeRule> by_remainder(const Outcomes& outcomes, const std::string& counter) {
  for (const std::int64_t unit : {1, 32})
    for (const bool is : {true, false}) {
      // The distance between the first two threads for which it holds.
      std::optional<std::int64_t> first, second;
      std::int64_t block_end = 0;
      for (const Outcome& each : outcomes.all()) {
        if (each.k != 0) continue;
        block_end = std::max(block_end, each.t + 1);
        const std::int64_t value = each.t / unit;
        if (each.taken != is) continue;
        if (!first || value < *first) {
          if (first) second = first;
          first = value;
        } else if (value > *first && (!second || value < *second)) {
          second = value;
        }
      }
      if (!first) continue;
      const std::int64_t modulus = (second ? *second : block_end / unit + *first) - *first;
      if (modulus < 2) continue;
      for (const Course& course : courses(modulus, counter, outcomes.most_k() > 0)) {
        const std::int64_t rest = *first;
        const bool holds = outcomes.hold([&](const Outcome& each) {
          const std::int64_t m = course.at(each.k);
          return m > 0 && (each.t / unit % m == rest) == is;
        });
        if (!holds) continue;
        const std::string remainder =
            fmt::format("{} % {}", unit == 1 ? "t" : "t / warpSize", course.text);
        return rule_of('t', fmt::format("{} {} {}", remainder, is ? "==" : "!=", rest),
                       fmt::format("{} {} {}", remainder, is ? "!=" : "==", rest),
                       course.text.find(counter) != std::string::npos);
      }
    }
  return std::nullopt;
}

// "all of the first n times, not the next": over k alone.
std::optional<OutcomeRule> by_round(const Outcomes& outcomes, const std::string& counter) {
  if (outcomes.most_k() == 0) return std::nullopt;
  for (const bool below : {true, false}) {
    std::int64_t bound = std::int64_t{outcomes.most_k()} + 1;
    for (const Outcome& each : outcomes.all())
      if (each.taken != below) bound = std::min<std::int64_t>(bound, each.k);
    if (outcomes.hold([&](const Outcome& each) { return (each.k < bound) == below; })) {
      OutcomeRule rule;
      rule.condition = fmt::format("{} {} {}", counter, below ? "<" : ">=", bound);
      rule.opposite = fmt::format("{} {} {}", counter, below ? ">=" : "<", bound);
      rule.counts = true;
      return rule;
    }
  }
  return std::nullopt;
}

// "every m-th time", as the test of an inner loop that always goes equally often round has it.
std::optional<OutcomeRule> by_turn(const Outcomes& outcomes, const std::string& counter) {
  for (const bool is : {true, false}) {
    std::optional<std::uint32_t> first, second;  // turns for which it holds
    for (const Outcome& each : outcomes.all()) {
      if (each.taken != is) continue;
      if (!first || each.k < *first) {
        second = first;
        first = each.k;
      } else if (each.k > *first && (!second || each.k < *second)) {
        second = each.k;
      }
    }
    if (!second || *second - *first < 2) continue;
    const std::uint32_t modulus = *second - *first, rest = *first;
    if (rest >= modulus ||
        !outcomes.hold([&](const Outcome& each) { return (each.k % modulus == rest) == is; }))
      continue;
    const auto test = [&](bool equal) {
      return fmt::format("{} % {} {} {}", counter, modulus, equal ? "==" : "!=", rest);
    };
    OutcomeRule rule;
    rule.condition = test(is);
    rule.opposite = test(!is);
    rule.counts = true;
    return rule;
  }
  return std::nullopt;
}

// "the one thread whose turn it is".
std::optional<OutcomeRule> by_equality(const Outcomes& outcomes, const std::string& counter) {
  for (const Subject& subject : kSubjects)
    for (const bool is : {true, false}) {
      const auto one = std::ranges::find(outcomes.all(), is, &Outcome::taken);
      if (one == outcomes.all().end()) continue;
      const std::int64_t value = (*one).*subject.value, k = one->k;
      for (const int slope : {0, 1, -1}) {
        if (slope != 0 && outcomes.most_k() == 0) break;
        const std::int64_t start = value - slope * k;
        if (!outcomes.hold([&](const Outcome& each) {
              return (each.*subject.value == start + slope * std::int64_t{each.k}) == is;
            }))
          continue;
        const std::string right =
            slope == 0 ? fmt::format("{}", start)
                       : fmt::format("{} {} {}", start, slope > 0 ? '+' : '-', counter);
        const auto test = [&](bool equal) {
          return fmt::format("{} {} {}", subject.name, equal ? "==" : "!=", right);
        };
        return rule_of(subject.name, test(is), test(!is), slope != 0);
      }
    }
  return std::nullopt;
}

bool warps_agree(const std::vector<BranchEvent>& events) {
  return std::ranges::all_of(events, [](const BranchEvent& event) {
    return event.taken.empty() || event.taken == event.active;
  });
}

std::string probability(std::uint64_t part, std::uint64_t all) {
  return fmt::format("{:.6g}", static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

OutcomeRule taken_rule(const std::vector<BranchEvent>& events, const Dim3& grid, const Dim3& block,
                       const std::string& counter) {
  const Outcomes outcomes(events, grid, block);
  const std::uint64_t count = outcomes.all().size();
  const std::string comment =
      fmt::format("the branch was taken by {} of {} threads", outcomes.taken(), count);
  OutcomeRule rule;
  if (outcomes.taken() == 0 || outcomes.taken() == count) {
    rule.condition = outcomes.taken() == 0 ? "false" : "true";
    rule.opposite = outcomes.taken() == 0 ? "true" : "false";
    rule.comment = comment;
    return rule;
  }
  for (const auto& attempt : {by_round, by_bound, by_rectangle, by_remainder, by_turn, by_equality})
    if (const auto found = attempt(outcomes, counter)) {
      rule = *found;
      rule.comment = comment;
      return rule;
    }
  rule.condition = fmt::format("chance({}{})", probability(outcomes.taken(), count),
                               warps_agree(events) ? ", warp" : "");
  rule.opposite = fmt::format("chance({}{})", probability(count - outcomes.taken(), count),
                              warps_agree(events) ? ", warp" : "");
  rule.comment = comment + "; no formula over indices was found";
  return rule;
}

TripRule trip_rule(const std::vector<BranchEvent>& events, bool taken_stays, const Dim3& block) {
  // Rounds of each thread for each time it entered, in order.
  struct Visit {
    std::uint64_t thread;
    std::uint32_t rounds;
  };
  std::unordered_map<std::uint64_t, std::uint32_t> open;
  std::vector<Visit> visits;
  bool together = true;  // all lanes of a warp go round equally often
  for (const BranchEvent& event : events) {
    const Mask stays = taken_stays ? event.taken : event.active & ~event.taken;
    together = together && (stays.empty() || stays == event.active);
    for (const unsigned lane : event.active) {
      const std::uint64_t thread = event.block * block.count() + event.warp * 32u + lane;
      std::uint32_t& rounds = open[thread];
      if (stays.has(lane)) {
        ++rounds;
        continue;
      }
      visits.push_back({thread, rounds});
      rounds = 0;
    }
  }
  TripRule rule;
  std::map<std::uint32_t, std::uint64_t> seen;
  for (const Visit& visit : visits) ++seen[visit.rounds];
  if (seen.empty()) {
    rule.count = "0";
    rule.comment = "never left";
    return rule;
  }
  double sum = 0;
  for (const auto& [rounds, times] : seen)
    sum += static_cast<double>(rounds) * static_cast<double>(times);
  rule.comment = fmt::format("entered {} times by a thread, {} to {} rounds, {:.4g} on average",
                             visits.size(), seen.begin()->first, seen.rbegin()->first,
                             sum / static_cast<double>(visits.size()));
  if (seen.size() == 1) {
    rule.count = fmt::format("{}", seen.begin()->first);
    return rule;
  }
  // A line over the thread's index in its block?
  const auto index = [&](const Visit& visit) {
    return static_cast<std::int64_t>(visit.thread % block.count());
  };
  const Visit& one = visits.front();
  for (const Visit& other : visits) {
    if (index(other) == index(one)) continue;
    const std::int64_t run = index(other) - index(one);
    const std::int64_t rise = std::int64_t{other.rounds} - std::int64_t{one.rounds};
    if (rise % run != 0) break;
    const std::int64_t slope = rise / run, start = one.rounds - slope * index(one);
    if (slope != 0 && std::ranges::all_of(visits, [&](const Visit& visit) {
          return visit.rounds == start + slope * index(visit);
        })) {
      rule.count = fmt::format("{} * t + {}", slope, start);
      rule.speaks_of_t = true;
      return rule;
    }
    break;
  }
  std::string list;
  constexpr std::size_t kMostListed = 200;
  if (seen.size() <= kMostListed) {
    for (const auto& [rounds, times] : seen)
      list += fmt::format("{}{}*{}", list.empty() ? "" : " ", rounds, times);
    rule.count = fmt::format("trips(list, \"{}\"{})", list, together ? ", warp" : "");
  } else {
    rule.count = fmt::format("trips(geometric, {:.6g})",
                             std::max(1.0, sum / static_cast<double>(visits.size())));
  }
  return rule;
}

}  // namespace heddle::traces
