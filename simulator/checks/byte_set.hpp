// A set of bytes of a memory, by their addresses.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace heddle::simulator::checks {

class ByteSet {
 public:
  void add(std::uint64_t address, std::uint64_t bytes) {
    for_each_word(address, bytes, true, [this](std::uint64_t& word, std::uint64_t mask) {
      count_ += static_cast<std::uint64_t>(std::popcount(mask & ~word));
      word |= mask;
    });
  }
  std::uint64_t count() const { return count_; }
  // Whether it has all of them.
  bool has_all(std::uint64_t address, std::uint64_t bytes) {
    bool all = true;
    const auto look = [&](std::uint64_t& word, std::uint64_t mask) { all &= (~word & mask) == 0; };
    return for_each_word(address, bytes, false, look) && all;
  }
  // Whether it has any of them.
  bool has_any(std::uint64_t address, std::uint64_t bytes) {
    bool any = false;
    for_each_word(address, bytes, false,
                  [&](std::uint64_t& word, std::uint64_t mask) { any |= (word & mask) != 0; });
    return any;
  }

 private:
  static constexpr std::uint64_t kBits = 64, kPage = 4096;
  using Page = std::array<std::uint64_t, kPage / kBits>;

  // False: there were no words for a part of them.
  template <typename F>
  bool for_each_word(std::uint64_t address, std::uint64_t bytes, bool make, F&& f) {
    bool found = true;
    while (bytes != 0) {
      const std::uint64_t bit = address % kBits, count = std::min(bytes, kBits - bit);
      if (Page* const page = page_at(address / kPage, make)) {
        const std::uint64_t all =
            count == kBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        f((*page)[address % kPage / kBits], all << bit);
      } else {
        found = false;
      }
      address += count;
      bytes -= count;
    }
    return found;
  }
  Page* page_at(std::uint64_t number, bool make) {
    if (number == cached_number_) return cached_;
    const auto found = pages_.find(number);
    if (found == pages_.end() && !make) return nullptr;
    std::unique_ptr<Page>& page = found == pages_.end() ? pages_[number] : found->second;
    if (page == nullptr) page = std::make_unique<Page>();
    cached_number_ = number;
    return cached_ = page.get();
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t cached_number_ = ~std::uint64_t{0};
  Page* cached_ = nullptr;
  std::uint64_t count_ = 0;
};

}  // namespace heddle::simulator::checks
