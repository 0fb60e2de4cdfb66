// Asynchronous copies that a warp's lanes have begun and that nobody has waited for yet: cp.async
// (LDGSTS), and bulk copies out of shared memory. PTX counts both by groups of a thread, each kind
// by itself: LDGDEPBAR and UTMACMDFLUSH close a group and count it at a scoreboard, DEPBAR waits
// until all but the newest groups are complete.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/memory/address_space.hpp"

namespace heddle::simulator::checks {

enum class CopyKind : std::uint8_t { element, bulk };

// One lane's part of one instruction.
struct AsyncCopy {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t pc = 0;
  std::uint32_t group = 0;  // of its lane and kind; PendingCopies::begin fills it in
  Window space{};
  CopyKind kind{};
  std::uint8_t lane = 0;
  bool writes = false;  // else it reads
};

class PendingCopies {
 public:
  bool empty() const { return copies_.empty(); }

  // A run of adjoining pieces is kept as one.
  void begin(AsyncCopy copy) {
    copy.group = closed_of(copy.kind)[copy.lane];
    if (!copies_.empty() && adjoins(copies_.back(), copy))
      copies_.back().bytes += copy.bytes;
    else
      copies_.push_back(copy);
  }

  void close(CopyKind kind, Mask lanes, unsigned scoreboard) {
    scoreboard_[static_cast<std::size_t>(kind)] = scoreboard;
    for (const unsigned lane : lanes) ++closed_of(kind)[lane];
  }

  // The lanes have waited until at most `left` of the groups that the scoreboard counts are
  // incomplete. Calls f(copy) for each copy that is complete now.
  template <typename F>
  void wait(unsigned scoreboard, Mask lanes, unsigned left, F&& f) {
    std::erase_if(copies_, [&](const AsyncCopy& copy) {
      const std::uint32_t closed = closed_of(copy.kind)[copy.lane];
      const bool complete = scoreboard_[static_cast<std::size_t>(copy.kind)] == scoreboard &&
                            lanes.has(copy.lane) && copy.group + left < closed;
      if (complete) f(copy);
      return complete;
    });
  }

  // The lanes have made an mbarrier count their copies of single elements. Calls f(copy) for each.
  template <typename F>
  void hand_over(Mask lanes, F&& f) {
    std::erase_if(copies_, [&](const AsyncCopy& copy) {
      const bool counted = copy.kind == CopyKind::element && lanes.has(copy.lane);
      if (counted) f(copy);
      return counted;
    });
  }

  // How many groups the lane has closed since the one that a copy belongs to; 0: that is open.
  std::uint32_t closed_since(CopyKind kind, unsigned lane, std::uint32_t group) const {
    return closed_[static_cast<std::size_t>(kind)][lane] - group;
  }
  const std::vector<AsyncCopy>& all() const { return copies_; }

 private:
  static constexpr unsigned kNone = ~0u;
  static bool adjoins(const AsyncCopy& one, const AsyncCopy& next) {
    return one.pc == next.pc && one.lane == next.lane && one.group == next.group &&
           one.space == next.space && one.writes == next.writes &&
           one.address + one.bytes == next.address;
  }
  std::array<std::uint32_t, kWarpSize>& closed_of(CopyKind kind) {
    return closed_[static_cast<std::size_t>(kind)];
  }

  std::vector<AsyncCopy> copies_;
  std::array<std::array<std::uint32_t, kWarpSize>, 2> closed_{};  // groups, by kind and lane
  std::array<unsigned, 2> scoreboard_{kNone, kNone};              // that counts them
};

}  // namespace heddle::simulator::checks
