// --check hazards: instructions that are looked at once for all their executions.
#include <algorithm>
#include <vector>

#include "simulator/checks/hazard_check.hpp"
#include "simulator/checks/hazard_latencies.hpp"

namespace heddle::simulator::checks {

// What it does to a warp's state does not depend on that.
bool HazardCheck::is_plain(const Decoded& in) {
  return in.guard == kPlaces && in.write_scoreboard == timing::kNoScoreboard &&
         in.read_scoreboard == timing::kNoScoreboard && !in.is_guarded && !in.is_memory &&
         !in.is_product && !in.ends_group;
}

// The one that begins at `first`; it ends at `end` at the latest, or at that of an earlier call.
const HazardCheck::Stretch& HazardCheck::stretch_at(std::uint32_t first, std::uint32_t end) {
  Stretch& stretch = stretches_[first];
  if (stretch.end == 0) [[unlikely]]
    find_stretch(first, end, stretch);
  return stretch;
}

// By place: where uses_ and last_writes_ have it.
struct HazardCheck::StretchPlaces {
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  std::vector<std::uint32_t> use, write;
  StretchPlaces() : use(kPlaces, kNowhere), write(kPlaces, kNowhere) {}
};

void HazardCheck::note_uses(const Decoded& in, std::uint32_t pc, Stretch& found,
                            StretchPlaces& places) {
  const auto& code = module_->program().instructions;
  const std::uint32_t all = std::uint32_t{in.reads} + in.writes;
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::uint16_t place = places_[in.places + i];
    const bool reads = i < in.reads;
    if (places.write[place] != StretchPlaces::kNowhere) {
      const LastWrite& write = last_writes_[places.write[place]];
      if (reads &&
          found.cycles - write.since < least_latency(*code[write.pc], *code[pc], place, false))
        found.in_time = false;
      continue;
    }
    std::uint32_t& use = places.use[place];
    if (use == StretchPlaces::kNowhere) {
      use = static_cast<std::uint32_t>(uses_.size());
      uses_.push_back({place, reads, !reads, found.cycles});
    } else {
      uses_[use].writes |= !reads;
    }
  }
  for (std::uint32_t i = in.reads; i < all; ++i) {
    const std::uint16_t place = places_[in.places + i];
    std::uint32_t& write = places.write[place];
    if (write == StretchPlaces::kNowhere) {
      write = static_cast<std::uint32_t>(last_writes_.size());
      last_writes_.push_back({});
    }
    last_writes_[write] = {place, pc, found.cycles};
  }
}

void HazardCheck::find_stretch(std::uint32_t first, std::uint32_t end, Stretch& found) {
  const auto& code = module_->program().instructions;
  StretchPlaces places;
  found.uses = static_cast<std::uint32_t>(uses_.size());
  found.writes = static_cast<std::uint32_t>(last_writes_.size());
  found.in_time = true;
  std::uint32_t pc = first;
  for (; pc != end && code[pc]; ++pc) {
    const Decoded& in = decoded(pc);
    if (!is_plain(in) || (in.waits() && pc != first)) break;
    note_uses(in, pc, found, places);
    found.cycles += in.stall;
  }
  found.end = std::max(pc, first + 1);
  found.in_time &= pc > first + 1;  // one alone gains nothing
  found.use_count = static_cast<std::uint32_t>(uses_.size()) - found.uses;
  found.write_count = static_cast<std::uint32_t>(last_writes_.size()) - found.writes;
}

// That there is nothing to report. False: perhaps there is.
bool HazardCheck::starts_in_order(WarpTrack& track, const Stretch& stretch, std::uint32_t first,
                                  Mask on) {
  wait(track, decoded_[first]);
  const FirstUse* const uses = uses_.data() + stretch.uses;
  for (const FirstUse* use = uses; use != uses + stretch.use_count; ++use) {
    Mask& results = track.results.lanes[use->place];
    if ((results & on).any()) {
      const Pending& result = track.results.of[use->place];
      const std::uint64_t passed = track.now + use->since - result.since;
      if (result.fixed ? passed >= kMostLatency : is_settled(track, result))
        results = Mask();
      else if (!result.fixed || (use->reads && passed < decoded_[result.pc].latency))
        return false;
    }
    if (use->writes && (track.sources.lanes[use->place] & on).any() &&
        !is_settled(track, track.sources.of[use->place]))
      return false;
  }
  return true;
}

void HazardCheck::follow(WarpTrack& track, const Stretch& stretch, std::uint32_t first, Mask on) {
  const LastWrite* const writes = last_writes_.data() + stretch.writes;
  for (const LastWrite* write = writes; write != writes + stretch.write_count; ++write) {
    track.results.lanes[write->place] = on;
    Pending& result = track.results.of[write->place];
    result.since = track.now + write->since;
    result.sequence = track.sequence + (write->pc - first) + 1;
    result.pc = Pc(write->pc);
    result.scoreboard = timing::kNoScoreboard;
    result.fixed = true;
    track.sources.lanes[write->place] &= ~on;
  }
  track.now += stretch.cycles;
  track.sequence += stretch.end - first;
}

}  // namespace heddle::simulator::checks
