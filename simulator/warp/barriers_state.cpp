// The hardware's registers of which lanes run together, as BMOV reads them (docs/experiments/
// divergence-order.md, "The state of a warp can be read").
#include "simulator/warp/barriers.hpp"

namespace heddle::simulator {
namespace {

constexpr unsigned kFirstStateBit = 16, kLastStateBit = 20;  // THREAD_STATE_ENUM.0 to .4
constexpr unsigned kFirstOfTrap = 21, kLastOfTrap = 23, kFirstOfExit = 30;
constexpr unsigned kExited = 24, kKilled = 25, kActive = 26, kAtExit = 27, kStack = 28,
                   kSearchLane = 29;

}  // namespace

// What THREAD_STATE_ENUM holds for the lanes of a group.
unsigned Barriers::thread_state(const Group& group) const {
  constexpr unsigned kCanRun = 1, kYielded = 3, kLeftCollective = 9, kAtWarpsync = 15,
                     kAtBarrier = 16;
  switch (group.wait) {
    case Wait::convergence_barrier:
      return kAtBarrier + group.index;
    case Wait::warp_sync:
      return kAtWarpsync;
    default:
      if (in(left_collective_, group)) return kLeftCollective;
      return in(yielded_, group) ? kYielded : kCanRun;
  }
}

std::optional<std::uint32_t> Barriers::state_register(unsigned number) const {
  if (number < kConvergenceBarriers) return barriers_[number].bits();
  if (number >= kFirstStateBit && number <= kLastStateBit) {
    Mask lanes;
    for (const Group& group : groups_)
      if ((thread_state(group) >> (number - kFirstStateBit) & 1) != 0) lanes |= group.lanes;
    return lanes.bits();
  }
  if (number == kActive) return current().lanes.bits();
  if ((number == kExited || number == kKilled || number == kAtExit) && live() == kFullMask)
    return number == kAtExit ? kFullMask.bits() : 0;  // of fewer lanes they are not known
  if ((number >= kFirstOfTrap && number <= kLastOfTrap) || number >= kFirstOfExit)
    return 0;  // nobody has set a trap, or what is called at the exit
  if (number == kSearchLane) return search_lane_ << 8;
  if (number != kStack) return std::nullopt;
  // From bit 25 on how many wait, below that a lane of each, of five bits; the first one is lowest.
  std::uint32_t value = 0;
  unsigned count = 0;
  for (const Group& group : groups_)
    if (stacked(group) && count < 5) value |= group.lanes.first() << 5 * count++;
  return value | count << 25;
}

}  // namespace heddle::simulator
