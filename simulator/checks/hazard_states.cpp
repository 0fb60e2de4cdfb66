#include "simulator/checks/hazard_states.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "simulator/checks/hazard_latencies.hpp"

namespace heddle::simulator::checks {
namespace {

// More than a wait can leave counted.
constexpr std::size_t kMostCounted = 64;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// Writes a track as words. Left out is what nothing can come of: what is settled, what has been
// there for long, and every number of which only the order matters (sequences become their ranks).
class TrackWriter {
 public:
  TrackWriter(const HazardTrack& track, std::vector<std::uint32_t>& words)
      : track_(track), words_(words) {
    rank_sequences();
    find_lane_groups();
    write(track.results);
    write(track.sources);
    for (unsigned board = 0; board < timing::kScoreboards; ++board) write_counted(board);
    words_.push_back(low(kept_groups()));
    for (std::size_t i = kept_groups(); i-- > 0;) words_.push_back(rank(group_end(i)));
  }

  // No more than kMostGroups, or else the words mean nothing.
  std::span<const Mask> groups() const { return {groups_.data(), groups_.size()}; }

 private:
  // Calls f(place, pending, lanes) for what something can come of.
  template <typename F>
  void for_each_pending(const HazardTrack::Places& places, F&& f) const {
    for (unsigned place = 0; place < kPlaces; ++place) {
      const HazardTrack::Pending& pending = places.of[place];
      if (places.lanes[place].any() && matters(place, pending))
        f(place, pending, places.lanes[place]);
    }
  }
  bool matters(unsigned place, const HazardTrack::Pending& pending) const {
    if (!pending.fixed) return !track_.is_settled(pending);
    return track_.now - pending.since <
           (place < kPredicatePlace ? kMostRegisterLatency : kMostLatency);
  }
  std::size_t kept_groups() const {
    return std::min<std::size_t>(track_.groups, HazardTrack::kKeptGroups);
  }
  std::uint64_t group_end(std::size_t back) const {
    return track_.group_ends[(track_.groups - back - 1) % HazardTrack::kKeptGroups];
  }
  std::size_t first_counted(unsigned board) const {
    const std::size_t all = track_.counted[board].size();
    return all - std::min(all, kMostCounted);
  }
  std::uint32_t rank(std::uint64_t sequence) const {
    return low(static_cast<std::uint64_t>(std::ranges::lower_bound(sequences_, sequence) -
                                          sequences_.begin() + 1));
  }

  void rank_sequences() {
    for (const HazardTrack::Places* places : {&track_.results, &track_.sources})
      for_each_pending(*places, [&](unsigned, const HazardTrack::Pending& pending, Mask) {
        if (!pending.fixed) sequences_.push_back(pending.sequence);
      });
    for (unsigned board = 0; board < timing::kScoreboards; ++board)
      sequences_.insert(
          sequences_.end(),
          track_.counted[board].begin() + static_cast<std::ptrdiff_t>(first_counted(board)),
          track_.counted[board].end());
    for (std::size_t i = 0; i < kept_groups(); ++i) sequences_.push_back(group_end(i));
    std::ranges::sort(sequences_);
    sequences_.erase(std::unique(sequences_.begin(), sequences_.end()), sequences_.end());
  }

  // Each set of lanes with something on its way cuts the groups so far. In the order in which they
  // come about they are numbered, so that what the lanes are does not matter.
  void find_lane_groups() {
    Mask last, all;
    const auto cut = [&](unsigned, const HazardTrack::Pending&, Mask lanes) {
      if (lanes == last) return;
      last = lanes;
      for (std::size_t i = groups_.size(); i-- > 0;) {
        const Mask rest = groups_[i] & ~lanes;
        if (rest.empty() || rest == groups_[i]) continue;
        groups_[i] &= lanes;
        groups_.push_back(rest);
      }
      if (!lanes.within(all)) groups_.push_back(lanes & ~all);
      all |= lanes;
    };
    for_each_pending(track_.results, cut);
    for_each_pending(track_.sources, cut);
  }
  std::uint32_t groups_of(Mask lanes) const {
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      found |= std::uint32_t{groups_[i].within(lanes)} << i;
    return found;
  }

  void write(const HazardTrack::Places& places) {
    const std::size_t count = words_.size();
    words_.push_back(0);
    for_each_pending(places, [&](unsigned place, const HazardTrack::Pending& pending, Mask lanes) {
      ++words_[count];
      words_.push_back(place | std::uint32_t{pending.scoreboard} << 16 |
                       std::uint32_t{pending.fixed} << 24);
      words_.push_back(pending.pc);
      words_.push_back(groups_of(lanes));
      words_.push_back(pending.fixed ? low(track_.now - pending.since) : rank(pending.sequence));
    });
  }

  void write_counted(unsigned board) {
    const std::vector<std::uint64_t>& all = track_.counted[board];
    words_.push_back(low(all.size() - first_counted(board)));
    if (all.empty()) return;
    words_.push_back(low(std::min(track_.now - track_.last_count[board], kCountingDelay)));
    for (std::size_t i = first_counted(board); i < all.size(); ++i) words_.push_back(rank(all[i]));
  }

  const HazardTrack& track_;
  std::vector<std::uint32_t>& words_;
  boost::container::small_vector<std::uint64_t, 64> sequences_;  // in order, each once
  boost::container::small_vector<Mask, kWarpSize> groups_;       // disjoint
};

class TrackReader {
 public:
  TrackReader(const std::vector<std::uint32_t>& words, const HazardState& state, HazardTrack& track)
      : next_(words.data() + 1), state_(state), track_(track) {
    track.start();
    track.now = kMostLatency;
    read(track.results);
    read(track.sources);
    for (unsigned board = 0; board < timing::kScoreboards; ++board) read_counted(board);
    track.groups = *next_++;
    for (std::size_t i = 0; i < track.groups; ++i) track.group_ends[i] = sequence();
  }

 private:
  std::uint64_t sequence() {
    track_.sequence = std::max<std::uint64_t>(track_.sequence, *next_);
    return *next_++;
  }

  Mask lanes(std::uint32_t groups) const {
    Mask found;
    for (std::uint32_t i = 0; i < state_.group_count; ++i)
      if ((groups >> i & 1) != 0) found |= state_.groups[i];
    return found;
  }

  void read(HazardTrack::Places& places) {
    for (std::uint32_t left = *next_++; left != 0; --left) {
      const std::uint32_t head = *next_++;
      const std::uint32_t place = head & 0xffff;
      HazardTrack::Pending& pending = places.of[place];
      pending.scoreboard = static_cast<std::uint8_t>(head >> 16);
      pending.fixed = (head >> 24) != 0;
      pending.pc = Pc(*next_++);
      places.lanes[place] = lanes(*next_++);
      pending.since = pending.fixed ? track_.now - *next_++ : 0;
      pending.sequence = pending.fixed ? 0 : sequence();
    }
  }

  void read_counted(unsigned board) {
    std::uint32_t left = *next_++;
    if (left == 0) return;
    track_.last_count[board] = track_.now - *next_++;
    for (; left != 0; --left) track_.counted[board].push_back(sequence());
  }

  const std::uint32_t* next_;
  const HazardState& state_;
  HazardTrack& track_;
};

}  // namespace

void HazardStates::clear() {
  numbers_.clear();
  words_.clear();
  next_.clear();
  find(HazardTrack(), Pc(~std::uint32_t{0}));
}

HazardState HazardStates::find(const HazardTrack& track, Pc last) {
  Words words{last};
  const TrackWriter writer(track, words);
  const std::span<const Mask> groups = writer.groups();
  HazardState found{.number = HazardState::kUnknown};
  if (groups.size() > HazardState::kMostGroups) return found;
  found.group_count = low(groups.size());
  std::ranges::copy(groups, found.groups.begin());
  if (const auto known = numbers_.find(words); known != numbers_.end()) {
    found.number = known->second;
  } else if (words_.size() < kMost) {
    found.number = low(words_.size());
    words_.push_back(&numbers_.emplace(std::move(words), found.number).first->first);
    next_.emplace_back();
  }
  return found;
}

HazardState HazardStates::learn(const HazardState& state, const HazardEvent& event,
                                const HazardTrack& track) {
  const HazardState found = find(track, event.first);
  if (!found.is_known() || next_[state.number].size() == kMostNext) return found;
  Pieces pieces;
  Next next{.first = event.first,
            .end = event.end,
            .pieces = pieces.cut(state, event),
            .number = found.number,
            .group_count = found.group_count};
  for (std::uint32_t group = 0; group < found.group_count; ++group)
    for (std::uint32_t left = next.pieces; left != 0; left &= left - 1) {
      const auto piece = static_cast<unsigned>(std::countr_zero(left));
      if (pieces.lanes[piece].within(found.groups[group])) next.groups[group] |= 1u << piece;
    }
  next_[state.number].push_back(next);
  return found;
}

void HazardStates::restore(const HazardState& state, HazardTrack& track) const {
  TrackReader(*words_[state.number], state, track);
}

}  // namespace heddle::simulator::checks
