#include "simulator/access_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::simulator {

namespace {

constexpr unsigned kSectorShift = 5;  // 32 bytes
constexpr unsigned kLineShift = 7;    // 128 bytes: what one tag covers
constexpr unsigned kBanks = 32;       // of 4 bytes

unsigned count(Mask lanes) { return static_cast<unsigned>(std::popcount(lanes)); }
constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

// Whether the lanes of a full warp access adjoining pieces of memory in order: the usual case.
bool is_unit_stride(unsigned width, LaneAddresses address) {
  std::uint64_t difference = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    difference |= address[lane] ^ (address[0] + lane * width);
  return difference == 0;
}

// How many different values of address >> shift the lanes have.
unsigned distinct(LaneAddresses address, Mask lanes, unsigned shift) {
  const std::uint64_t base = address[static_cast<unsigned>(std::countr_zero(lanes))] >> shift;
  // Lanes near the first one: a bit each.
  std::uint64_t near = 0;
  std::array<std::uint64_t, kWarpSize> far;  // NOLINT: only the first far_count are used
  unsigned far_count = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t value = address[static_cast<unsigned>(std::countr_zero(left))] >> shift;
    const std::uint64_t offset = value - base + 32;
    if (offset < 64) {
      near |= std::uint64_t{1} << offset;
    } else {
      far[far_count++] = value;
    }
  }
  std::sort(far.begin(), far.begin() + far_count);
  const auto end = std::unique(far.begin(), far.begin() + far_count);
  return static_cast<unsigned>(std::popcount(near)) + static_cast<unsigned>(end - far.begin());
}

// Passes for lanes that access one word each: every pass serves one word of each bank, and every
// lane that wants that word.
unsigned bank_passes(LaneAddresses address, Mask lanes, unsigned width) {
  std::array<std::uint64_t, kWarpSize * 4> words;
  unsigned total = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t at = address[static_cast<unsigned>(std::countr_zero(left))];
    for (unsigned byte = 0; byte < width; byte += 4) words[total++] = (at + byte) >> 2;
  }
  std::sort(words.begin(), words.begin() + total);
  const auto end = std::unique(words.begin(), words.begin() + total);
  std::array<unsigned, kBanks> in_bank{};
  for (auto word = words.begin(); word != end; ++word) ++in_bank[*word % kBanks];
  return *std::max_element(in_bank.begin(), in_bank.end());
}

}  // namespace

AccessCounts count_global(AccessKind, unsigned width, LaneAddresses address, Mask lanes) {
  if (lanes == 0) return {};
  const unsigned bytes = count(lanes) * width;
  AccessCounts counts;
  counts.sectors_ideal = ceil_div(bytes, 32);
  if (lanes == kFullMask && is_unit_stride(width, address)) {
    const std::uint64_t last = address[0] + bytes - 1;
    counts.sectors =
        static_cast<std::uint32_t>((last >> kSectorShift) - (address[0] >> kSectorShift) + 1);
    counts.tags = static_cast<std::uint32_t>((last >> kLineShift) - (address[0] >> kLineShift) + 1);
  } else {
    counts.sectors = distinct(address, lanes, kSectorShift);
    counts.tags = distinct(address, lanes, kLineShift);
  }
  return counts;
}

AccessCounts count_shared(AccessKind, unsigned width, LaneAddresses address, Mask lanes) {
  if (lanes == 0) return {};
  AccessCounts counts;
  const unsigned together = width <= 4 ? 32 : 128 / width;  // lanes served in one pass at best
  for (unsigned first = 0; first < kWarpSize; first += together) {
    const Mask part = together == 32 ? lanes : lanes & (((Mask{1} << together) - 1) << first);
    if (part == 0) continue;
    counts.wavefronts += bank_passes(address, part, width);
    counts.wavefronts_ideal += 1;
  }
  return counts;
}

AccessCounts count_local(AccessKind, unsigned width, LaneAddresses, Mask lanes) {
  if (lanes == 0) return {};
  // Local memory interleaves the lanes' words: word w of lane l lies at (w * 32 + l) * 4.
  AccessCounts counts;
  counts.sectors = ceil_div(count(lanes) * width, 32);
  counts.sectors_ideal = counts.sectors;
  return counts;
}

}  // namespace heddle::simulator
