// --check hazards: what is on its way in a warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/base/pc.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/warp/register_uses.hpp"

namespace heddle::simulator::checks {

// What stands for a scoreboard where a warp group's product is awaited by its group of products.
inline constexpr std::uint8_t kByGroup = timing::kNoScoreboard + 1;

struct HazardTrack {
  // A result on its way, or a source that is still to be read.
  struct Pending {
    std::uint64_t since;     // the cycle of its issue
    std::uint64_t sequence;  // of the warp's instructions
    Pc pc;
    std::uint8_t scoreboard;
    bool fixed;  // its time is what the compiler counts

    // Member by member: a whole one would be built in memory first, and waited for.
    void set(const HazardTrack& track, Pc at, std::uint8_t guard, bool is_fixed) {
      since = track.now;
      sequence = track.sequence;
      pc = at;
      scoreboard = guard;
      fixed = is_fixed;
    }
  };
  // By place. Where no lanes are, nothing is pending, and what `of` holds means nothing.
  struct Places {
    std::array<Mask, kPlaces> lanes;
    std::array<Pending, kPlaces> of;
  };
  static constexpr std::size_t kKeptGroups = 8;  // of products, as many as a wait can leave

  HazardTrack() { start(); }
  void start();

  // Whether the warp has waited for it; of one that a scoreboard or a group of products guards.
  bool is_settled(const Pending& pending) const;
  // Waits until a scoreboard counts `left` at most; until `left` groups of products are not done.
  void wait(unsigned scoreboard, std::size_t left);
  void wait_for_groups(std::size_t left);

  Places results, sources;
  // By scoreboard: the instructions that it counts.
  std::array<std::vector<std::uint64_t>, timing::kScoreboards> counted;
  std::uint64_t now, sequence;
  std::array<std::uint64_t, timing::kScoreboards> last_count;  // when each was counted up
  std::array<std::uint64_t, timing::kScoreboards> settled;     // all up to this sequence are done
  std::uint64_t most_settled;                                  // of them
  // Warp groups' products: the last one of each of the last groups, in a ring; how many groups;
  // all products up to this sequence are done.
  std::array<std::uint64_t, kKeptGroups> group_ends;
  std::uint64_t groups, products_settled;
};

// A scoreboard counts up a cycle behind the issue; who issues in the next cycle does not see it.
inline constexpr std::uint64_t kCountingDelay = 2;

}  // namespace heddle::simulator::checks
