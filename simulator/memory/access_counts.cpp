#include "simulator/memory/access_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "simulator/lanes/addresses.hpp"
#include "simulator/lanes/scattered.hpp"

namespace heddle::simulator {

namespace {

constexpr unsigned kBanks = 32;  // of 4 bytes each
constexpr Mask kLowHalf = Mask::below(kWarpSize / 2), kHighHalf = ~kLowHalf;

constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

// The different ones of a warp's numbers. Slots are filled from where a number's hash says on.
class NumberSet {
 public:
  // Whether it was not there yet. At most 32 are added.
  bool add(std::uint64_t number) {
    constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;  // Fibonacci hashing
    for (std::uint64_t slot = number * kSpread >> 58;; slot = (slot + 1) % kSlots) {
      if ((filled_ >> slot & 1) == 0) {
        filled_ |= std::uint64_t{1} << slot;
        numbers_[slot] = number;
        return true;
      }
      if (numbers_[slot] == number) return false;
    }
  }
  unsigned size() const { return static_cast<unsigned>(std::popcount(filled_)); }

 private:
  static constexpr unsigned kSlots = 64;
  std::uint64_t filled_ = 0;
  std::array<std::uint64_t, kSlots> numbers_;  // read where filled
};

// How many different values `number(lane)` has.
template <typename Number>
unsigned distinct(Mask lanes, Number&& number) {
  const std::uint64_t base = number(lanes.first());
  std::uint64_t near = 0;  // values close to the first: a bit each
  NumberSet far;
  for (const unsigned lane : lanes) {
    const std::uint64_t value = number(lane);
    const std::uint64_t offset = value - base + 32;
    if (offset < 64)
      near |= std::uint64_t{1} << offset;
    else
      far.add(value);
  }
  return static_cast<unsigned>(std::popcount(near)) + far.size();
}

// The most units that share a bank, of `banks` banks; a bit for each unit. Rows of units are added,
// a number for each bank, whose bits lie in `sums`: of up to eight rows.
unsigned most_in_bank(std::uint64_t units, unsigned banks) {
  std::array<std::uint64_t, 4> sums{};
  for (std::uint64_t rows = units; rows != 0; rows >>= banks) {
    std::uint64_t carry = rows & ((std::uint64_t{1} << banks) - 1);
    for (std::uint64_t& sum : sums) carry &= std::exchange(sum, sum ^ carry);
  }
  unsigned most = 0;
  std::uint64_t candidates = ~std::uint64_t{0};
  for (unsigned i = 4; i-- > 0;) {
    if ((sums[i] & candidates) == 0) continue;
    candidates &= sums[i];
    most |= 1u << i;
  }
  return most;
}

// A pass serves one word of each bank, to every lane that wants it: the passes these lanes need
// when they are served together. Wide accesses are aligned: their words share banks as they do.
unsigned passes(unsigned width, LaneAddresses address, Mask lanes, std::uint64_t spread) {
  if (lanes.empty()) return 0;
  const auto shift = static_cast<unsigned>(std::max(2, std::countr_zero(width)));
  const auto [near, units, banks] =
      lanes::scattered_functions().banks(address.data(), lanes, shift, spread);
  if (near != 0) return most_in_bank(near, 1u << (kLineShift - shift));
  unsigned most = 1;
  for (std::uint32_t left = units == banks ? 0 : banks; left != 0;) {
    const std::uint32_t from = left & -left;
    left ^= from;
    const std::uint32_t next = left & -left;  // of the last bank 0: below 0 are all above it
    most = std::max(most, static_cast<unsigned>(std::popcount(units & (next - from))));
  }
  return most;
}

// Atomics serve one lane of each bank at a time, also where lanes want the same word.
unsigned atomic_passes(LaneAddresses address, Mask lanes) {
  std::array<unsigned, kBanks> in_bank{};
  for (const unsigned lane : lanes) ++in_bank[address[lane] / 4 % kBanks];
  return *std::max_element(in_bank.begin(), in_bank.end());
}

// `part(lanes)` summed over the parts of a warp that are served one after the other.
template <typename Part>
unsigned in_parts(unsigned width, Mask lanes, Part&& part) {
  if (width <= 4) return part(lanes);
  const unsigned together = 128 / width;
  unsigned sum = 0;
  for (unsigned lane = 0; lane < kWarpSize; lane += together) {
    const Mask some = lanes & (Mask::below(together) << lane);
    if (some.any()) sum += part(some);
  }
  return sum;
}

// Whether lane pairs (l, l ^ 1), or all pairs (l, l ^ 2), access the same address. A lane whose
// partner does not take part agrees with it, unless `strict`.
bool pairs_agree(LaneAddresses address, Mask lanes, bool strict) {
  for (const unsigned flip : {1u, 2u}) {
    bool agree = true;
    for (const unsigned lane : lanes) {
      const unsigned partner = lane ^ flip;
      agree = lanes.has(partner) ? address[lane] == address[partner] : !strict;
      if (!agree) break;
    }
    if (agree) return true;
  }
  return false;
}

// Loads may serve two parts in one pass, where their lanes agree in pairs and no bank conflicts.
unsigned load_wavefronts(unsigned width, LaneAddresses address, Mask lanes, std::uint64_t spread) {
  const auto together = [&](Mask some) { return passes(width, address, some, spread); };
  const auto apart = [&](Mask some) { return in_parts(width, some, together); };
  if (width <= 4) return together(lanes);
  if (width == 8) {
    const bool joined = pairs_agree(address, lanes, false) && together(lanes) == 1;
    return joined ? 1 : apart(lanes);
  }
  // A pass returns 256 bytes at most.
  if (spread == 0) return ceil_div(lanes.count() * width, 256);
  const Mask low = lanes & kLowHalf, high = lanes & kHighHalf;
  unsigned sum = 0;
  if (high.any()) {
    const bool joined = pairs_agree(address, high, false) && together(high) == 1;
    sum += joined ? 1 : apart(high);
  }
  if (low.any()) {
    // As measured, without an explanation: in the low half pairs matter only when lane 31 takes
    // part, and then a lane without its partner does not agree.
    const bool agree = !lanes.has(kWarpSize - 1) || pairs_agree(address, low, true);
    sum += agree && together(low) == 1 ? 1 : apart(low);
  }
  return sum;
}

unsigned shared_wavefronts(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes,
                           std::uint64_t spread) {
  switch (kind) {
    case AccessKind::load:
      return load_wavefronts(width, address, lanes, spread);
    // Increments of one word are one addition, so they do not add either (H200 records: of images,
    // 32 words, and of cub::DeviceHistogram, 256 of them).
    case AccessKind::store:
    case AccessKind::increment:
      return in_parts(width, lanes,
                      [&](Mask some) { return passes(width, address, some, spread); });
    case AccessKind::cast_spin:  // lanes that conflict fail: there is but one pass
      return in_parts(width, lanes, [](Mask) { return 1u; });
    default:
      return in_parts(width, lanes, [&](Mask some) { return atomic_passes(address, some); });
  }
}

std::uint64_t spread_of(LaneAddresses address, Mask lanes) {
  return lanes.empty() ? 0 : lanes::scattered_functions().spread(address.data(), lanes);
}

}  // namespace

AccessCounts count_global(AccessKind, unsigned width, LaneAddresses address, Mask lanes,
                          std::uint64_t spread) {
  if (lanes.empty()) return {};
  if (spread >> kSectorShift == 0) return {.sectors = 1, .sectors_ideal = 1, .tags = 1};
  AccessCounts counts;
  const auto distinct = lanes::scattered_functions().distinct(address.data(), lanes, spread);
  counts.sectors = distinct.sectors;
  counts.tags = distinct.lines;
  counts.sectors_ideal = std::min(counts.sectors, ceil_div(lanes.count() * width, 32));
  return counts;
}

AccessCounts count_global(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes) {
  return count_global(kind, width, address, lanes, spread_of(address, lanes));
}

AccessCounts count_shared(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes,
                          std::uint64_t spread) {
  if (lanes.empty()) return {};
  AccessCounts counts;
  counts.wavefronts = shared_wavefronts(kind, width, address, lanes, spread);
  counts.wavefronts_ideal = std::min(counts.wavefronts, ceil_div(lanes.count() * width, 128));
  if (kind >= AccessKind::compare_and_swap) {  // reads, then writes
    counts.wavefronts *= 2;
    counts.wavefronts_ideal *= 2;
  }
  return counts;
}

AccessCounts count_shared(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes) {
  return count_shared(kind, width, address, lanes, spread_of(address, lanes));
}

// Eight rows, a matrix, after the other: unlike those of a load of 16 bytes, rows that are the same
// save no pass.
AccessCounts count_matrix_rows(LaneAddresses address, Mask lanes) {
  return count_shared(AccessKind::store, 16, address, lanes);
}

AccessCounts count_local(AccessKind, unsigned width, LaneAddresses address, Mask lanes,
                         std::uint64_t spread) {
  if (lanes.empty()) return {};
  // Local memory lies lane beside lane: word w of lane l is the word 32 w + l, so that eight lanes
  // share a sector where they access the same w.
  const unsigned words = std::max(1u, width / 4);
  AccessCounts counts;
  const auto row = [&](unsigned lane) { return (address[lane] / 4) * 4 + lane / 8; };
  if (spread == 0) {
    for (unsigned lane = 0; lane < kWarpSize; lane += 8)
      if ((lanes & Mask::below(8) << lane).any()) counts.sectors += words;
    return counts;
  }
  // Wide accesses are aligned to their width: two of them touch the same rows, or none in common.
  if (spread / 4 < 64) {  // the words of eight lanes have a bit each
    std::array<std::uint64_t, kWarpSize / 8> of_eight;
    lanes::scattered_functions().near_by_eights(address.data(), lanes, 2, of_eight.data());
    for (const std::uint64_t bits : of_eight)
      counts.sectors += words * static_cast<unsigned>(std::popcount(bits));
    return counts;
  }
  counts.sectors = words * distinct(lanes, row);
  return counts;
}

AccessCounts count_local(AccessKind kind, unsigned width, LaneAddresses address, Mask lanes) {
  return count_local(kind, width, address, lanes, spread_of(address, lanes));
}

}  // namespace heddle::simulator
