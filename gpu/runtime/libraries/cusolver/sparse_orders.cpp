#include <algorithm>
#include <numeric>
#include <set>

#include "gpu/runtime/libraries/cusolver/sparse.hpp"

namespace heddle::runtime::libraries::cusolver {
namespace {

using Neighbours = std::vector<std::vector<int>>;

// Of A + A', without the diagonal.
Neighbours neighbours_of(const Pattern& pattern) {
  demand(pattern.rows == pattern.columns);
  Neighbours found(static_cast<std::size_t>(pattern.rows));
  for (std::size_t row = 0; row < found.size(); ++row)
    for (int at = pattern.first[row]; at < pattern.first[row + 1]; ++at) {
      const auto column = static_cast<std::size_t>(pattern.second[static_cast<std::size_t>(at)]);
      if (column == row) continue;
      found[row].push_back(static_cast<int>(column));
      found[column].push_back(static_cast<int>(row));
    }
  for (auto& each : found) {
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
  }
  return found;
}

// The rows that are reached from `start` and for which `part` says `mine`, level by level.
std::vector<std::vector<int>> levels_from(const Neighbours& graph, int start,
                                          const std::vector<int>& part, int mine) {
  std::vector<std::vector<int>> levels{{start}};
  std::set<int> seen{start};
  for (;;) {
    std::vector<int> next;
    for (const int row : levels.back())
      for (const int other : graph[static_cast<std::size_t>(row)])
        if (part[static_cast<std::size_t>(other)] == mine && seen.insert(other).second)
          next.push_back(other);
    if (next.empty()) return levels;
    levels.push_back(std::move(next));
  }
}

// A row at an end of its part: the last level of the last level's first row, until they grow no
// more.
int end_of(const Neighbours& graph, int start, const std::vector<int>& part, int mine) {
  std::size_t depth = 0;
  for (;;) {
    const auto levels = levels_from(graph, start, part, mine);
    if (levels.size() <= depth) return start;
    depth = levels.size();
    start = levels.back().front();
  }
}

class Dissection {
 public:
  explicit Dissection(const Neighbours& graph) : graph_(graph), part_(graph.size(), 0) {}

  Permutation run() {
    std::vector<int> all(graph_.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::vector<int>> left{std::move(all)};
    Permutation reversed;  // separators come behind what they part
    while (!left.empty()) {
      const std::vector<int> rows = std::move(left.back());
      left.pop_back();
      part(rows, left, reversed);
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
  }

 private:
  void part(const std::vector<int>& rows, std::vector<std::vector<int>>& left,
            Permutation& reversed) {
    constexpr std::size_t kFew = 32;
    ++mine_;
    for (const int row : rows) part_[static_cast<std::size_t>(row)] = mine_;
    if (rows.size() <= kFew) {
      reversed.insert(reversed.end(), rows.begin(), rows.end());
      return;
    }
    const auto levels =
        levels_from(graph_, end_of(graph_, rows.front(), part_, mine_), part_, mine_);
    std::size_t before = 0, middle = 0;
    while (middle + 1 < levels.size() && 2 * (before + levels[middle].size()) < rows.size())
      before += levels[middle++].size();
    std::vector<int> first, second;
    for (std::size_t i = 0; i < levels.size(); ++i)
      for (const int row : levels[i]) {
        part_[static_cast<std::size_t>(row)] = 0;
        if (i == middle)
          reversed.push_back(row);
        else
          (i < middle ? first : second).push_back(row);
      }
    for (const int row : rows)  // what is not connected with these
      if (part_[static_cast<std::size_t>(row)] == mine_) second.push_back(row);
    if (!first.empty()) left.push_back(std::move(first));
    if (!second.empty()) left.push_back(std::move(second));
  }

  const Neighbours& graph_;
  std::vector<int> part_;
  int mine_ = 0;
};

}  // namespace

Pattern read_pattern(int rows, int columns, int entries, const cusparse::Description* description,
                     const int* first, const int* second) {
  const int base = description->base;
  first = in(first, rows + std::int64_t{1});
  second = in(second, entries);
  Pattern made{rows, columns, {}, {}};
  for (int row = 0; row <= rows; ++row) made.first.push_back(first[row] - base);
  for (int i = 0; i < entries; ++i) made.second.push_back(second[i] - base);
  const bool grows = std::is_sorted(made.first.begin(), made.first.end());
  if (!grows || made.first.front() != 0 || made.first.back() != entries ||
      std::any_of(made.second.begin(), made.second.end(),
                  [&](int column) { return column < 0 || column >= columns; }))
    throw std::runtime_error(
        "the rows of a sparse matrix contradict its number of entries or columns");
  return made;
}

Permutation reverse_cuthill_mckee(const Pattern& pattern) {
  const Neighbours graph = neighbours_of(pattern);
  const auto degree = [&](int row) { return graph[static_cast<std::size_t>(row)].size(); };
  std::vector<int> taken(graph.size(), 0);
  Permutation order;
  for (int begin = 0; begin < pattern.rows; ++begin) {
    if (taken[static_cast<std::size_t>(begin)] != 0) continue;
    const int start = end_of(graph, begin, taken, 0);
    order.push_back(start);
    taken[static_cast<std::size_t>(start)] = 1;
    for (std::size_t at = order.size() - 1; at < order.size(); ++at) {
      std::vector<int> next;
      for (const int other : graph[static_cast<std::size_t>(order[at])])
        if (std::exchange(taken[static_cast<std::size_t>(other)], 1) == 0) next.push_back(other);
      std::stable_sort(next.begin(), next.end(),
                       [&](int one, int other) { return degree(one) < degree(other); });
      order.insert(order.end(), next.begin(), next.end());
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// The row with the fewest neighbours is next; these are neighbours of one another then.
Permutation minimum_degree(const Pattern& pattern) {
  std::vector<std::set<int>> graph;
  for (const auto& each : neighbours_of(pattern)) graph.emplace_back(each.begin(), each.end());
  std::set<std::pair<std::size_t, int>> by_degree;
  for (std::size_t row = 0; row < graph.size(); ++row)
    by_degree.emplace(graph[row].size(), static_cast<int>(row));
  Permutation order;
  while (!by_degree.empty()) {
    const int row = by_degree.begin()->second;
    by_degree.erase(by_degree.begin());
    order.push_back(row);
    const std::set<int> around = std::move(graph[static_cast<std::size_t>(row)]);
    for (const int other : around) {
      auto& its = graph[static_cast<std::size_t>(other)];
      by_degree.erase({its.size(), other});
      its.insert(around.begin(), around.end());
      its.erase(other);
      its.erase(row);
      by_degree.emplace(its.size(), other);
    }
  }
  return order;
}

Permutation nested_dissection(const Pattern& pattern) {
  const Neighbours graph = neighbours_of(pattern);
  return Dissection(graph).run();
}

Permutation order_of(int reorder, const Pattern& pattern) {
  demand(reorder >= 0 && reorder <= 3);
  if (reorder == 1) return reverse_cuthill_mckee(pattern);
  if (reorder == 2) return minimum_degree(pattern);
  if (reorder == 3) return nested_dissection(pattern);
  Permutation order(static_cast<std::size_t>(pattern.rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Pattern permuted(const Pattern& pattern, const Permutation& p, const Permutation& q,
                 std::vector<int>& from) {
  std::vector<int> place(static_cast<std::size_t>(pattern.columns), -1);
  for (std::size_t j = 0; j < q.size(); ++j)
    place.at(static_cast<std::size_t>(q[j])) = static_cast<int>(j);
  demand(std::find(place.begin(), place.end(), -1) == place.end());
  Pattern made{pattern.rows, pattern.columns, {0}, {}};
  from.clear();
  for (const int row : p) {
    const auto old = static_cast<std::size_t>(row);
    std::vector<std::pair<int, int>> entries;
    for (int at = pattern.first.at(old); at < pattern.first.at(old + 1); ++at)
      entries.emplace_back(
          place[static_cast<std::size_t>(pattern.second[static_cast<std::size_t>(at)])], at);
    std::sort(entries.begin(), entries.end());
    for (const auto& [column, at] : entries) {
      made.second.push_back(column);
      from.push_back(at);
    }
    made.first.push_back(made.entries());
  }
  return made;
}

}  // namespace heddle::runtime::libraries::cusolver
