#include "simulator/checks/hazard_track.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::simulator::checks {

void HazardTrack::start() {
  results.lanes.fill(Mask());
  sources.lanes.fill(Mask());
  for (auto& each : counted) each.clear();
  now = sequence = most_settled = groups = products_settled = 0;
  group_ends.fill(0);
  last_count.fill(0);
  settled.fill(0);
}

// Units answer in order, and ptxas counts on it: who has waited for a later instruction's
// scoreboard need not wait for those before it. Which unit that was is not asked.
bool HazardTrack::is_settled(const Pending& pending) const {
  if (pending.scoreboard == kByGroup) return pending.sequence <= products_settled;
  if (pending.scoreboard < timing::kScoreboards && pending.sequence <= settled[pending.scoreboard])
    return true;
  return pending.sequence < most_settled;
}

void HazardTrack::wait(unsigned scoreboard, std::size_t left) {
  std::vector<std::uint64_t>& all = counted[scoreboard];
  if (left == 0 && now - last_count[scoreboard] < kCountingDelay) left = 1;
  if (all.size() <= left) return;
  const auto done = all.end() - static_cast<std::ptrdiff_t>(left);
  settled[scoreboard] = *std::prev(done);
  most_settled = std::max(most_settled, settled[scoreboard]);
  all.erase(all.begin(), done);
}

void HazardTrack::wait_for_groups(std::size_t left) {
  if (groups > left)
    products_settled = std::max(products_settled, group_ends[(groups - left - 1) % kKeptGroups]);
}

}  // namespace heddle::simulator::checks
