#include "simulator/base/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace heddle::simulator {
namespace {

// Levenshtein's distance, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 128;  // longer ones are not misspelt names
  if (name.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = name.size() / 3 + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t edits = distance(name, candidate);
    if (edits < best_distance) {
      best = candidate;
      best_distance = edits;
    }
  }
  constexpr std::size_t kShortest = 3;
  if (best_distance <= 1 || name.size() < kShortest) return best;
  // What was cut short: the shortest candidate that begins so.
  std::string_view whole;
  for (const std::string_view candidate : candidates)
    if (candidate.starts_with(name) && (whole.empty() || candidate.size() < whole.size()))
      whole = candidate;
  return whole.empty() ? best : whole;
}

}  // namespace heddle::simulator
