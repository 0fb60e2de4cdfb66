// The blocks of a launch that several host threads execute.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/base/row_storage.hpp"
#include "simulator/run/run_blocks.hpp"

namespace heddle::simulator {

// Gives out blocks, to each thread in ascending order, as one thread would execute them: some that
// follow one another, as they mostly use memory side by side, and as far as all are equally fast
// the same ones in each launch. So memory goes from one host core to another less often. Single
// ones at first: so it is seen soon whether blocks side by side use the same memory.
class SharedBlocks {
 public:
  SharedBlocks(BlockRange blocks, unsigned threads)
      : first_(blocks.first), left_(blocks), threads_(threads) {}
  // `full`: no thread begins with others than those it has.
  std::optional<std::uint64_t> next(unsigned thread, const std::atomic<bool>& full) {
    BlockRange& own = threads_[thread].blocks;
    if (own.first == own.end) {
      const std::lock_guard lock(taking_);
      own = take(thread, full.load(std::memory_order_relaxed));
      if (own.first == own.end) return std::nullopt;
    }
    return own.first++;
  }
  // All before it have been given out, once no thread has any left.
  std::uint64_t first_left() const { return left_.first; }

 private:
  // Of each thread, in what was given out and what is left: so that threads end together.
  static constexpr std::uint64_t kFewestShares = 2, kShares = 8, kMostAtOnce = 512;
  struct alignas(kCacheLine) Thread {
    BlockRange blocks{0, 0};  // only it may use them
    BlockRange kept{0, 0};    // for when those are done
    bool has_begun = false;
  };

  // Each piece has a thread for which the others leave it, one at a time: it may be slow, and they
  // cannot come back to what lies before the blocks that they go on with.
  BlockRange take(unsigned thread, bool full) {
    threads_[thread].has_begun = true;
    if (const BlockRange kept = std::exchange(threads_[thread].kept, {}); kept.first != kept.end)
      return kept;
    while (!full && left_.first != left_.end) {
      const BlockRange piece = next_piece();
      const auto of = static_cast<unsigned>(pieces_++ % threads_.size());
      Thread& owner = threads_[of];
      if (of == thread || !owner.has_begun || owner.kept.first != owner.kept.end) return piece;
      owner.kept = piece;
    }
    return {};
  }

  BlockRange next_piece() {
    const std::uint64_t given = left_.first - first_, left = left_.end - left_.first;
    const std::uint64_t count = std::clamp<std::uint64_t>(
        std::min(given / kFewestShares, left / kShares) / threads_.size(), 1, kMostAtOnce);
    left_.first += count;
    return {left_.first - count, left_.first};
  }

  const std::uint64_t first_;
  std::mutex taking_;
  BlockRange left_;
  std::uint64_t pieces_ = 0;
  std::vector<Thread> threads_;
};

}  // namespace heddle::simulator
