#include "simulator/memory/copy_counts.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator {
namespace {

constexpr unsigned kSectorsOfLine = 1u << (kLineShift - kSectorShift);

// What goes from one line of global memory to one of shared memory: bit s + 4 g is set where some
// of sector g goes to sector s.
struct LinePair {
  std::uint64_t from, to;
  std::uint32_t sectors;
};

struct LinePairs {
  std::array<LinePair, kWarpSize> pairs;
  unsigned count = 0;

  void add(std::uint64_t from, std::uint64_t to) {
    const auto end = pairs.begin() + count;
    const auto same = std::find_if(pairs.begin(), end, [&](const LinePair& pair) {
      return pair.from == from >> kLineShift && pair.to == to >> kLineShift;
    });
    if (same == end) pairs[count++] = {from >> kLineShift, to >> kLineShift, 0};
    const auto sector_of = [](std::uint64_t address) {
      return static_cast<unsigned>(address >> kSectorShift) % kSectorsOfLine;
    };
    same->sectors |= 1u << (sector_of(from) * kSectorsOfLine + sector_of(to));
  }
};

// A pass takes each sector of the line to one sector, and into each from one.
unsigned passes(const LinePair& pair) {
  int most = 0;
  for (unsigned i = 0; i < kSectorsOfLine; ++i)
    most = std::max({most, std::popcount(pair.sectors >> (i * kSectorsOfLine) & 0xfu),
                     std::popcount(pair.sectors >> i & 0x1111u)});
  return static_cast<unsigned>(most);
}

// A piece that goes from banks of L1's line to banks of shared memory: bit b is set for bank b.
struct Piece {
  std::uint64_t from, to;
  std::uint32_t from_banks, to_banks;
};

struct Pieces {
  std::array<Piece, kWarpSize> of;
  unsigned count = 0;

  // The same piece that goes to the same place goes once.
  void add(unsigned width, std::uint64_t from, std::uint64_t to, bool reads) {
    for (unsigned i = 0; i < count; ++i)
      if (of[i].from == from && of[i].to == to) return;
    const auto banks = [&](std::uint64_t address) {
      return ((1u << width / 4) - 1) << (address / 4 % 32);
    };
    of[count++] = {from, to, reads ? banks(from) : 0, banks(to)};
  }

  // One pass: each bank of shared memory takes the highest lane that wants it, and of these each
  // bank of L1 the lowest. Those it served are taken out.
  void pass() {
    std::array<bool, kWarpSize> served{};
    std::uint32_t taken = 0, read = 0;
    for (unsigned i = count; i-- > 0;) {
      served[i] = (of[i].to_banks & taken) == 0;
      if (served[i]) taken |= of[i].to_banks;
    }
    unsigned left = 0;
    for (unsigned i = 0; i < count; ++i) {
      const bool goes = served[i] && (of[i].from_banks & read) == 0;
      if (goes) read |= of[i].from_banks;
      if (!goes) of[left++] = of[i];
    }
    count = left;
  }
};

// As many bytes of lanes as the banks have go together.
unsigned passes_through_l1(unsigned width, LaneAddresses from, LaneAddresses to, Mask lanes,
                           Mask zeros) {
  const unsigned together = 128 / width;
  unsigned passes = 0;
  for (unsigned first = 0; first < kWarpSize; first += together) {
    Pieces pieces;
    for (unsigned lane = first; lane < first + together; ++lane)
      if ((lanes | zeros).has(lane)) pieces.add(width, from[lane], to[lane], lanes.has(lane));
    for (; pieces.count != 0; ++passes) pieces.pass();
  }
  return passes;
}

}  // namespace

AccessCounts count_copy(CopyPath path, unsigned width, LaneAddresses from, LaneAddresses to,
                        Mask lanes, Mask zeros) {
  AccessCounts counts;
  if (path == CopyPath::bypass) zeros = Mask();
  if ((lanes | zeros).empty()) return counts;
  const AccessCounts read = count_global(AccessKind::load, width, from, lanes);
  if (path == CopyPath::through_l1) {
    counts.sectors = read.sectors;
    counts.wavefronts = passes_through_l1(width, from, to, lanes, zeros);
  } else {
    LinePairs moved;
    for (const unsigned lane : lanes) moved.add(from[lane], to[lane]);
    for (unsigned i = 0; i < moved.count; ++i) {
      counts.sectors += static_cast<unsigned>(std::popcount(moved.pairs[i].sectors));
      counts.wavefronts += passes(moved.pairs[i]);
    }
  }
  const auto units = [&](Mask of, unsigned bytes) {
    return (of.count() * width + bytes - 1) / bytes;
  };
  counts.sectors_ideal = std::min(counts.sectors, units(lanes, 32));
  counts.tags = read.tags;
  counts.wavefronts_ideal = std::min(counts.wavefronts, units(lanes | zeros, 128));
  return counts;
}

}  // namespace heddle::simulator
