#include "simulator/launch/launch_counts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::simulator {
namespace {

InstructionCounts multiplied(InstructionCounts counts, std::uint64_t times) {
  InstructionCounts sum;
  for (; times != 0; times >>= 1) {
    if ((times & 1) != 0) sum += counts;
    counts += InstructionCounts(counts);
  }
  return sum;
}

}  // namespace

const InstructionCounts& LaunchCounts::operator[](std::size_t pc) const {
  static constexpr InstructionCounts kNone{};
  const auto found = std::ranges::lower_bound(entries_, pc, {}, &Entry::pc);
  return found == entries_.end() || found->pc != pc ? kNone : found->counts;
}

std::uint64_t LaunchCounts::executed() const {
  return std::accumulate(
      entries_.begin(), entries_.end(), std::uint64_t{0},
      [](std::uint64_t sum, const Entry& entry) { return sum + entry.counts.executed; });
}

void LaunchCounts::add(const LaunchCounts& other, std::uint64_t times) {
  if (other.entries_.empty()) return;
  if (entries_.empty() && times == 1) {
    entries_ = other.entries_;
    return;
  }
  std::vector<Entry> sums;
  sums.reserve(std::max(entries_.size(), other.entries_.size()));
  auto mine = entries_.begin();
  for (const Entry& theirs : other.entries_) {
    while (mine != entries_.end() && mine->pc < theirs.pc) sums.push_back(*mine++);
    Entry sum{theirs.pc, {}};
    if (mine != entries_.end() && mine->pc == theirs.pc) sum = *mine++;
    sum.counts += multiplied(theirs.counts, times);
    sums.push_back(sum);
  }
  sums.insert(sums.end(), mine, entries_.end());
  entries_ = std::move(sums);
}

}  // namespace heddle::simulator
