// --check hazards: the states that warps were in, and what follows from each.
//
// Warps of a kernel do the same again and again: the same instructions, with the same results on
// their way. What that does is found once and looked up afterwards, as in an automaton that is
// built while it runs. Which lanes do it does not matter, only which of them did the same before: a
// state knows groups of lanes, and each warp which lanes they are.
#pragma once

#include <array>
#include <bit>
#include <boost/container/small_vector.hpp>
#include <boost/unordered_map.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/base/pc.hpp"
#include "simulator/checks/hazard_track.hpp"

namespace heddle::simulator::checks {

// What a warp executes: the instruction at `first`, or a run of them where `end` lies behind.
struct HazardEvent {
  Pc first, end;
  Mask active, on;  // lanes; `on`: whose guard is true
};

// A warp's state.
struct HazardState {
  static constexpr std::uint32_t kStart = 0;                    // nothing has been executed
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};  // it has no number
  static constexpr std::size_t kMostGroups = 6;

  std::uint32_t number = kStart;
  std::uint32_t group_count = 0;
  std::array<Mask, kMostGroups> groups{};  // disjoint; lanes in none have nothing on its way

  bool is_known() const { return number != kUnknown; }
};

class HazardStates {
 public:
  static constexpr std::size_t kMost = 1 << 14;  // states that get a number
  static constexpr std::size_t kMostNext = 16;   // that are known to follow one

  HazardStates() { clear(); }
  void clear();

  // Makes `state` the one after `event`; false where that is not known yet.
  bool advance(HazardState& state, const HazardEvent& event) const {
    if (is_of_one_group(state, event)) {
      const Next* const next = find_next(state, event, 1);
      if (next == nullptr) return false;
      state.number = next->number;
      state.group_count = next->group_count;
      state.groups[0] = event.on;
      return true;
    }
    Pieces pieces;
    const Next* const next = find_next(state, event, pieces.cut(state, event));
    if (next == nullptr) return false;
    next->apply(pieces, state);
    return true;
  }
  // The state of `track`, which from now on follows `state` by `event`.
  HazardState learn(const HazardState& state, const HazardEvent& event, const HazardTrack& track);
  // The state of `track` behind an event at `last`. Few events can follow it, since `last` is part
  // of it. It is not known where it would be one too many.
  HazardState find(const HazardTrack& track, Pc last);
  // A track in this state: find() gives it, and all that follows is the same.
  void restore(const HazardState& state, HazardTrack& track) const;

 private:
  // A state's groups as an event cuts them: of each the lanes that are on, that are only active,
  // and that are neither; then the lanes of no group that are on, and that are only active.
  struct Pieces {
    std::array<Mask, 3 * HazardState::kMostGroups + 2> lanes;
    // Returns a set of those that are not empty.
    std::uint32_t cut(const HazardState& state, const HazardEvent& event) {
      std::uint32_t there = 0;
      unsigned count = 0;
      const auto add = [&](Mask piece) {
        lanes[count] = piece;
        there |= std::uint32_t{piece.any()} << count++;
      };
      Mask others = ~Mask();
      for (std::uint32_t i = 0; i < state.group_count; ++i) {
        const Mask group = state.groups[i];
        add(group & event.on);
        add(group & event.active & ~event.on);
        add(group & ~event.active);
        others &= ~group;
      }
      add(others & event.on);
      add(others & event.active & ~event.on);
      return there;
    }
  };
  struct Next {
    Pc first, end;
    std::uint32_t pieces;
    std::uint32_t number, group_count = 0;
    std::array<std::uint32_t, HazardState::kMostGroups> groups{};  // sets of pieces

    void apply(const Pieces& of, HazardState& state) const {
      state.number = number;
      state.group_count = group_count;
      for (std::uint32_t i = 0; i < group_count; ++i) {
        Mask lanes;
        for (std::uint32_t left = groups[i]; left != 0; left &= left - 1)
          lanes |= of.lanes[static_cast<unsigned>(std::countr_zero(left))];
        state.groups[i] = lanes;
      }
    }
  };
  // Whether only the first piece is not empty, and groups afterwards can only be that: as almost
  // always, and quick.
  static bool is_of_one_group(const HazardState& state, const HazardEvent& event) {
    return event.active == event.on && event.on.any() &&
           (state.group_count == 0 || (state.group_count == 1 && state.groups[0] == event.on));
  }
  const Next* find_next(const HazardState& state, const HazardEvent& event,
                        std::uint32_t pieces) const {
    for (const Next& next : next_[state.number])
      if (next.first == event.first && next.end == event.end && next.pieces == pieces) return &next;
    return nullptr;
  }

  using Words = std::vector<std::uint32_t>;
  boost::unordered_map<Words, std::uint32_t> numbers_;
  std::vector<const Words*> words_;  // by number: keys of numbers_, which stay where they are
  std::vector<boost::container::small_vector<Next, 2>> next_;  // by number
};

}  // namespace heddle::simulator::checks
