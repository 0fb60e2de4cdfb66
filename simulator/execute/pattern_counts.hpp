// What instructions' last accesses were counted as. In loops that stride through memory, addresses
// lie to one another as they did the last time, and so touch as many sectors, lines and banks: to
// see that takes less than to count them again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "simulator/base/row_storage.hpp"
#include "simulator/lanes/scattered.hpp"
#include "simulator/memory/access_counts.hpp"
#include "simulator/memory/address_space.hpp"

namespace heddle::simulator {

class PatternCounts {
 public:
  // count(), which is to be the same wherever the addresses of `lanes` lie as they do to one
  // another, and are a multiple of `unit` bytes (a power of two) further on.
  template <typename Count>
  AccessCounts of(std::uint32_t pc, Window space, const Addresses& address, Mask lanes,
                  std::uint64_t unit, Count&& count) {
    if (last_ == nullptr) last_ = std::make_unique<std::array<Last, kPlaces>>();
    Last& last = (*last_)[pc % kPlaces];
    const bool is_same = last.pc == pc && last.space == space;
    // Of scattered accesses none is like the one before: they are asked seldom.
    if (is_same && last.missed >= kGiveUp && ++last.missed != 0) return count();
    if (is_same && last.lanes == lanes && is_shifted(last, address, unit)) {
      last.missed = 0;
      return last.counts;
    }
    last.missed = is_same ? static_cast<std::uint8_t>(last.missed + 1) : std::uint8_t{0};
    last.pc = pc;
    last.space = space;
    last.lanes = lanes;
    last.address = address;
    last.counts = count();
    return last.counts;
  }

 private:
  static constexpr std::size_t kPlaces = 64;
  static constexpr std::uint8_t kGiveUp = 8;
  struct Last {
    alignas(kCacheLine) Addresses address;
    std::uint32_t pc = ~0u;
    Mask lanes;
    Window space = Window::global;
    std::uint8_t missed = 0;  // times in a row; from kGiveUp on times it was not asked
    AccessCounts counts;
  };
  static bool is_shifted(const Last& last, const Addresses& address, std::uint64_t unit) {
    const unsigned first = last.lanes.first();
    return ((address[first] - last.address[first]) & (unit - 1)) == 0 &&
           lanes::scattered_functions().lie_as(address.data(), last.address.data(), last.lanes);
  }

  std::unique_ptr<std::array<Last, kPlaces>> last_;
};

}  // namespace heddle::simulator
