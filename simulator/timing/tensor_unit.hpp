// Products of warp groups (HGMMA and its like). Each of a group's four warps issues them to the
// tensor unit of its own sub-core, which takes them one after another; a wait is for all four.
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
  // One issues. When it is complete.
  Cycle issue(const Timed& product, Cycle now);

 private:
  const Constants& constants_;
  Cycle free_ = 0;
  std::vector<Cycle> begun_;  // when the last products left the queue, a ring
  std::size_t next_ = 0;
};

// When the products of the warp groups on an SM are complete: of each when its last warp's part is.
class GroupTimes {
 public:
  // Counted from 1, as GroupProducts has them. `block`: its place on the SM.
  void complete(std::uint32_t block, std::uint32_t group, std::uint64_t number, Cycle time);
  // 0: nobody has issued it.
  Cycle completed(std::uint32_t block, std::uint32_t group, std::uint64_t number) const;
  // Another block takes the place.
  void forget(std::uint32_t block);

 private:
  static constexpr std::size_t kKept = 64;
  struct Product {
    std::uint64_t number = 0;
    Cycle time = 0;
  };
  static constexpr std::uint32_t kMostGroups = 16;
  std::unordered_map<std::uint32_t, std::array<Product, kKept>> groups_;
};

}  // namespace heddle::simulator::timing
