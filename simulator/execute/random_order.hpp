// Draws from a seed what an untimed launch leaves open: the order of warps' turns, their lengths,
// and the order of blocks. The draws follow one another, so such a launch runs on one host thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace heddle::simulator {

class RandomOrder {
 public:
  explicit RandomOrder(std::uint64_t seed) : bits_(seed) {}

  // Below `end`, which is not zero.
  std::uint64_t below(std::uint64_t end) { return bits_() % end; }
  // From 1 to `most`: as often one of 1 as of 2 or 3, of 4 to 7, of 8 to 15 …
  std::uint64_t length(std::uint64_t most) {
    const std::uint64_t first = std::uint64_t{1}
                                << below(static_cast<unsigned>(std::bit_width(most)));
    return first + below(std::min(first, most - first + 1));
  }
  template <typename T>
  void shuffle(std::span<T> all) {
    for (std::size_t left = all.size(); left > 1; --left)
      std::swap(all[left - 1], all[below(left)]);
  }

 private:
  std::mt19937_64 bits_;  // the same everywhere, as the standard has it
};

// The numbers below `count` in an order drawn from a seed, each in the same time and without a list
// of them: a Feistel network over the next power of four, which results beyond the end pass again.
class ShuffledNumbers {
 public:
  ShuffledNumbers(std::uint64_t count, std::uint64_t seed)
      : count_(count), half_(half_bits(count)) {
    std::mt19937_64 bits(~seed);
    for (std::uint64_t& key : keys_) key = bits();
  }
  // `index` is below the count.
  std::uint64_t at(std::uint64_t index) const {
    do index = pass(index);
    while (index >= count_);
    return index;
  }

 private:
  static unsigned half_bits(std::uint64_t count) {
    return static_cast<unsigned>(std::bit_width(count - 1) + 1) / 2;
  }
  std::uint64_t pass(std::uint64_t index) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = index >> half_, right = index & mask;
    for (const std::uint64_t key : keys_) {
      std::uint64_t mixed = (right + 1) * (key | 1) + (key >> 32);
      mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
      left = std::exchange(right, left ^ (mixed >> 32 & mask));
    }
    return left << half_ | right;
  }

  std::uint64_t count_;
  unsigned half_;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace heddle::simulator
