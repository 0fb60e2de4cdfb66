// Products of warp groups (HGMMA and its like). Each of a group's four warps issues them to the
// tensor unit of its own sub-core. The four units take a product together, in the order in which
// the groups have issued theirs: they share what they read of B (docs/experiments/timing.md).
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/program.hpp"

namespace heddle::simulator::timing {

inline constexpr std::uint32_t kWarpsOfGroup = 4;

// A sub-core's unit and its queue.
class TensorUnit {
 public:
  explicit TensorUnit(const Constants& constants);

  // When the queue has room for another product.
  Cycle room() const { return begun_[next_]; }
  // One issues that the units take at `begin`. When it is complete.
  Cycle issue(const Timed& product, Cycle begin);

 private:
  const Constants& constants_;
  std::vector<Cycle> begun_;  // when the last products left the queue, a ring
  std::size_t next_ = 0;
};

// When the products of the warp groups on an SM are complete: of each when its last warp's part is.
class GroupTimes {
 public:
  // One of the group's warps issues its part: when the units take the product, by the warps that
  // have. They keep it for `interval`.
  Cycle begin(std::uint32_t block, std::uint32_t group, std::uint64_t number, Cycle earliest,
              Cycle interval);
  // Counted from 1, as GroupProducts has them. `block`: its place on the SM.
  void complete(std::uint32_t block, std::uint32_t group, std::uint64_t number, Cycle time);
  // 0: nobody has issued it.
  Cycle completed(std::uint32_t block, std::uint32_t group, std::uint64_t number) const;
  // One of the block's warps has arrived; how often it has.
  void arrive(std::uint32_t block, std::uint32_t warp) { ++arrivals_[block][warp % kMostWarps]; }
  std::uint32_t arrivals(std::uint32_t block, std::uint32_t warp) const {
    const auto found = arrivals_.find(block);
    return found == arrivals_.end() ? 0 : found->second[warp % kMostWarps];
  }
  // Another block takes the place.
  void forget(std::uint32_t block);

 private:
  static constexpr std::size_t kKept = 64;
  struct Product {
    std::uint64_t number = 0;
    Cycle time = 0, begin = 0;
  };
  static constexpr std::uint32_t kMostGroups = 16;
  static constexpr std::uint32_t kMostWarps = kMostGroups * kWarpsOfGroup;
  Cycle free_ = 0;  // of all units, the same
  std::unordered_map<std::uint32_t, std::array<Product, kKept>> groups_;
  std::unordered_map<std::uint32_t, std::array<std::uint32_t, kMostWarps>> arrivals_;  // by block
};

}  // namespace heddle::simulator::timing
