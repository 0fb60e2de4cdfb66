#include "simulator/memory/old_access_counts.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace heddle::simulator {
namespace {

constexpr unsigned kHalf = 16;  // threads
constexpr unsigned kBanks = 16;
constexpr unsigned kSector = 32;  // bytes

unsigned first(Mask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }
unsigned count(Mask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }
constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

template <typename F>
void for_each(Mask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(first(lanes));
}

// Calls f(lanes, the first lane of the half) for each half with lanes.
template <typename F>
void for_each_half(Mask lanes, F&& f) {
  for (unsigned begin = 0; begin < kWarpSize; begin += kHalf)
    if (const Mask half = lanes & (Mask{0xffff} << begin); half != 0) f(half, begin);
}

// 1.0 and 1.1: one transaction of 64 or 128 bytes, or two of 128, where the k-th thread accesses
// the k-th word of a segment as long; else one of 32 bytes for each thread.
void add_in_order(unsigned width, LaneAddresses address, Mask half, unsigned begin,
                  AccessCounts& counts) {
  const std::uint64_t segment = std::uint64_t{kHalf} * width;
  const std::uint64_t base = address[first(half)] / segment * segment;
  bool in_order = width >= 4;
  for_each(half, [&](unsigned lane) {
    in_order = in_order && address[lane] == base + std::uint64_t{lane - begin} * width;
  });
  counts.tags += in_order ? (width == 16 ? 2 : 1) : count(half);
  counts.sectors += in_order ? static_cast<std::uint32_t>(segment / kSector) : count(half);
}

// 1.2 and 1.3: the segment (32, 64 or 128 bytes, by the width) of the lowest thread left serves all
// whose addresses lie in it; where they use one half of it alone, that half is moved.
void add_segments(unsigned width, LaneAddresses address, Mask half, AccessCounts& counts) {
  const std::uint64_t widest = width == 1 ? 32 : width == 2 ? 64 : 128;
  for (Mask left = half; left != 0;) {
    std::uint64_t size = widest;
    std::uint64_t segment = address[first(left)] / size * size;
    Mask served = 0;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for_each(left, [&](unsigned lane) {
      if (address[lane] / size * size != segment) return;
      served |= Mask{1} << lane;
      low = std::min(low, address[lane]);
      high = std::max(high, address[lane] + width - 1);
    });
    while (size > kSector && low / (size / 2) == high / (size / 2)) size /= 2;
    ++counts.tags;
    counts.sectors += static_cast<std::uint32_t>(size / kSector);
    left &= ~served;
  }
}

// One word that a thread wants.
struct Wanted {
  std::uint64_t word;
  unsigned bank;
};

unsigned steps(std::vector<Wanted> left) {
  unsigned steps = 0;
  for (; !left.empty(); ++steps) {
    const std::uint64_t broadcast = left.front().word;
    std::uint32_t busy = 1u << left.front().bank;
    std::erase_if(left, [&](const Wanted& each) {
      if (each.word == broadcast) return true;
      const bool free = (busy >> each.bank & 1) == 0;
      busy |= 1u << each.bank;
      return free;
    });
  }
  return steps;
}

}  // namespace

AccessCounts count_global_before(AccessRules rules, AccessKind kind, unsigned width,
                                 LaneAddresses address, Mask lanes) {
  if (lanes == 0) return {};
  AccessCounts counts;
  switch (rules) {
    case AccessRules::sectors:
      return count_global(kind, width, address, lanes);
    case AccessRules::lines:
      counts = count_global(kind, width, address, lanes);
      if (kind == AccessKind::load) counts.sectors = 4 * counts.tags;
      return counts;
    case AccessRules::half_warp_in_order:
      for_each_half(lanes, [&](Mask half, unsigned begin) {
        add_in_order(width, address, half, begin, counts);
      });
      break;
    case AccessRules::half_warp_segments:
      for_each_half(lanes,
                    [&](Mask half, unsigned) { add_segments(width, address, half, counts); });
      break;
  }
  counts.sectors_ideal = std::min(counts.sectors, ceil_div(count(lanes) * width, kSector));
  return counts;
}

AccessCounts count_shared_half_warps(AccessKind, unsigned width, LaneAddresses address,
                                     Mask lanes) {
  AccessCounts counts;
  for_each_half(lanes, [&](Mask half, unsigned) {
    std::vector<Wanted> wanted;
    for_each(half, [&](unsigned lane) {
      for (std::uint64_t word = address[lane] / 4; word <= (address[lane] + width - 1) / 4; ++word)
        wanted.push_back({word, static_cast<unsigned>(word % kBanks)});
    });
    const auto words = static_cast<unsigned>(wanted.size());
    const unsigned needed = steps(std::move(wanted));
    counts.wavefronts += needed;
    counts.wavefronts_ideal += std::min(needed, ceil_div(words, kBanks));
  });
  return counts;
}

}  // namespace heddle::simulator
