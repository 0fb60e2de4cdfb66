// The groups of a warp: disjoint sets of lanes that share a PC and execute together. There are no
// rules here; who runs and who waits is decided by the warp's Reconvergence.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "simulator/base/mask.hpp"
#include "simulator/base/pc.hpp"

namespace heddle::simulator {

inline constexpr unsigned kConvergenceBarriers = 16;

enum class Wait : std::uint8_t {
  none,                 // ready: it runs, or waits its turn
  convergence_barrier,  // at BSYNC, for the lanes of barrier `index`
  warp_sync,            // at WARPSYNC, for the lanes of `partners`
  block_barrier,        // at BAR, barrier number `index`
  reconvergence,        // at pc, for the lanes that are to reconverge there
};

struct Group {
  Mask lanes{};
  Pc pc;  // of the next instruction: past the one that a group waits at
  Wait wait = Wait::none;
  std::uint8_t index = 0;
  Mask partners{};
  // Of the WARPSYNC.COLLECTIVE that it waits at, its pc being behind that; of one that it has left,
  // the end.
  Pc body = kNowhere;

  bool ready() const { return wait == Wait::none; }
  friend bool operator==(const Group&, const Group&) = default;
};

// Groups in an order that their user gives them. The last one is the current one, if it is ready.
class Groups {
 public:
  Groups() {}
  Groups(const Groups& other) : count_(other.count_) { std::ranges::copy(other, begin()); }
  Groups& operator=(const Groups& other) {
    count_ = other.count_;
    std::ranges::copy(other, begin());
    return *this;
  }

  Group* begin() { return groups_.data(); }
  Group* end() { return groups_.data() + count_; }
  const Group* begin() const { return groups_.data(); }
  const Group* end() const { return groups_.data() + count_; }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Group& operator[](std::size_t i) { return groups_[i]; }
  const Group& operator[](std::size_t i) const { return groups_[i]; }
  const Group& front() const { return groups_.front(); }
  Group& back() { return groups_[count_ - 1]; }
  const Group& back() const { return groups_[count_ - 1]; }

  void clear() { count_ = 0; }
  void push_back(const Group& group) {
    assert(count_ < groups_.size());
    groups_[count_++] = group;
  }
  void pop_back() { --count_; }
  void insert_below_last(const Group& group) {
    push_back(back());
    groups_[count_ - 2] = group;
  }
  void erase(Group* group) {
    std::copy(group + 1, end(), group);
    --count_;
  }
  // Returns how many there were.
  template <typename Erased>
  std::size_t erase_if(Erased&& is_erased) {
    Group* const kept = std::remove_if(begin(), end(), is_erased);
    const auto erased = static_cast<std::size_t>(end() - kept);
    count_ -= erased;
    return erased;
  }
  void move_to_back(Group* group) { std::rotate(group, group + 1, end()); }

  friend bool operator==(const Groups& one, const Groups& other) {
    return std::ranges::equal(one, other);
  }

 private:
  std::size_t count_ = 0;
  // One more than lanes, while a group is exchanged. Nothing is written to those that are not
  // there.
  union {
    std::array<Group, kWarpSize + 1> groups_;
  };
};

}  // namespace heddle::simulator
