// Which block was started when: blocks by the numbers of their starts. They start in the order of
// the grid, nearly always, so that a few runs of them tell of billions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::simulator::checks {

class StartOrder {
 public:
  void clear() { *this = {}; }
  // Returns the number of this start.
  std::uint32_t add(std::uint64_t linear) {
    if (runs_.empty() || runs_.back().linear + (count_ - runs_.back().first) != linear)
      runs_.push_back({count_, linear});
    return count_++;
  }
  // The block's linear index.
  std::uint64_t operator[](std::uint32_t number) const {
    const Run& run = *std::prev(std::ranges::upper_bound(runs_, number, {}, &Run::first));
    return run.linear + (number - run.first);
  }
  std::size_t runs() const { return runs_.size(); }

 private:
  struct Run {
    std::uint32_t first = 0;  // number
    std::uint64_t linear = 0;
  };
  std::vector<Run> runs_;
  std::uint32_t count_ = 0;
};

}  // namespace heddle::simulator::checks
