#include "simulator/memory/old_access_counts.hpp"

#include <algorithm>
#include <vector>

namespace heddle::simulator {
namespace {

constexpr unsigned kHalf = 16;  // threads
constexpr unsigned kBanks = 16;
constexpr unsigned kSector = 32;  // bytes

constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

// Calls f(lanes, the first lane of the half) for each half with lanes.
template <typename F>
void for_each_half(Mask lanes, F&& f) {
  for (unsigned begin = 0; begin < kWarpSize; begin += kHalf)
    if (const Mask half = lanes & (Mask::below(kHalf) << begin); half.any()) f(half, begin);
}

// 1.0 and 1.1: one transaction of 64 or 128 bytes, or two of 128, where the k-th thread accesses
// the k-th word of a segment as long; else one of 32 bytes for each thread.
void add_in_order(unsigned width, LaneAddresses address, Mask half, unsigned begin,
                  AccessCounts& counts) {
  const std::uint64_t segment = std::uint64_t{kHalf} * width;
  const std::uint64_t base = address[half.first()] / segment * segment;
  bool in_order = width >= 4;
  for (const unsigned lane : half)
    in_order = in_order && address[lane] == base + std::uint64_t{lane - begin} * width;
  counts.tags += in_order ? (width == 16 ? 2 : 1) : half.count();
  counts.sectors += in_order ? static_cast<std::uint32_t>(segment / kSector) : half.count();
}

// 1.2 and 1.3: the segment (32, 64 or 128 bytes, by the width) of the lowest thread left serves all
// whose addresses lie in it; where they use one half of it alone, that half is moved.
void add_segments(unsigned width, LaneAddresses address, Mask half, AccessCounts& counts) {
  const std::uint64_t widest = width == 1 ? 32 : width == 2 ? 64 : 128;
  for (Mask left = half; left.any();) {
    std::uint64_t size = widest;
    std::uint64_t segment = address[left.first()] / size * size;
    Mask served;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (const unsigned lane : left) {
      if (address[lane] / size * size != segment) continue;
      served |= Mask::of(lane);
      low = std::min(low, address[lane]);
      high = std::max(high, address[lane] + width - 1);
    }
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
  if (lanes.empty()) return {};
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
  counts.sectors_ideal = std::min(counts.sectors, ceil_div(lanes.count() * width, kSector));
  return counts;
}

AccessCounts count_shared_half_warps(AccessKind, unsigned width, LaneAddresses address,
                                     Mask lanes) {
  AccessCounts counts;
  for_each_half(lanes, [&](Mask half, unsigned) {
    std::vector<Wanted> wanted;
    for (const unsigned lane : half) {
      for (std::uint64_t word = address[lane] / 4; word <= (address[lane] + width - 1) / 4; ++word)
        wanted.push_back({word, static_cast<unsigned>(word % kBanks)});
    }
    const auto words = static_cast<unsigned>(wanted.size());
    const unsigned needed = steps(std::move(wanted));
    counts.wavefronts += needed;
    counts.wavefronts_ideal += std::min(needed, ceil_div(words, kBanks));
  });
  return counts;
}

}  // namespace heddle::simulator
