// The blocks of a launch that several host threads execute.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/base/row_storage.hpp"
#include "simulator/run/run_blocks.hpp"

namespace heddle::simulator {

// Gives out blocks, to each thread some that follow one another: they mostly use memory side by
// side, which then goes from one host core to another less often. Single ones at first: so it is
// seen soon whether blocks side by side use the same memory.
class SharedBlocks {
 public:
  SharedBlocks(BlockRange blocks, unsigned threads)
      : first_(blocks.first), end_(blocks.end), next_(blocks.first), own_(threads) {}
  // `full`: no thread begins with others than those it has.
  std::optional<std::uint64_t> next(unsigned thread, const std::atomic<bool>& full) {
    BlockRange& own = own_[thread].blocks;
    if (own.first == own.end) {
      if (full.load(std::memory_order_relaxed)) return std::nullopt;
      const std::uint64_t given = first_left() - first_, left = end_ - first_left();
      const std::uint64_t count = std::clamp<std::uint64_t>(
          std::min(given / kFewestShares, left / kShares) / own_.size(), 1, kMostAtOnce);
      const std::uint64_t first = next_.fetch_add(count, std::memory_order_relaxed);
      if (first >= end_) return std::nullopt;
      own = {first, std::min(first + count, end_)};
    }
    return own.first++;
  }
  // All before it have been given out.
  std::uint64_t first_left() const { return std::min(next_.load(), end_); }

 private:
  // Of each thread, in what was given out and what is left: so that threads end together.
  static constexpr std::uint64_t kFewestShares = 2, kShares = 8, kMostAtOnce = 16;
  struct alignas(kCacheLine) Own {
    BlockRange blocks{0, 0};
  };
  const std::uint64_t first_, end_;
  std::atomic<std::uint64_t> next_;
  std::vector<Own> own_;
};

}  // namespace heddle::simulator
