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

  // The same piece that goes to the same place goes once; each lane's zeros go by themselves.
  void add(unsigned width, std::uint64_t from, std::uint64_t to, bool reads) {
    for (unsigned i = 0; reads && i < count; ++i)
      if (of[i].from_banks != 0 && of[i].from == from && of[i].to == to) return;
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

// The lanes that the metrics see of a copy past L1. Where P0 is the guard or the operand, they are
// as if it were false, in an instruction with .ZFILL true: what CUPTI patches in has a value of its
// own there. The guard is so for sectors and wavefronts, the operand for wavefronts alone, and tags
// are right. Found with gpu/kernels/micro/access_sweep/copy_predicates.cu
// (docs/experiments/l1-counting.md).
struct SeenLanes {
  CopyLanes of_sectors, of_wavefronts;
};

SeenLanes lanes_seen_under_p0(const CopyLanes& lanes, const CopyPredicates& predicates,
                              bool fills) {
  const auto read_as = [fills](bool negated) { return fills != negated ? kFullMask : Mask(); };
  SeenLanes seen{lanes, lanes};
  if (predicates.guard_is_p0)
    seen.of_sectors.guard = seen.of_wavefronts.guard = read_as(predicates.guard_negated);
  if (predicates.operand_is_p0) seen.of_wavefronts.operand = read_as(predicates.operand_negated);
  return seen;
}

}  // namespace

AccessCounts count_copy(CopyPath path, unsigned width, LaneAddresses from, LaneAddresses to,
                        const CopyLanes& lanes) {
  AccessCounts counts;
  const Mask reading = lanes.reading(), zeros = lanes.zeros();
  if (lanes.writing().empty()) return counts;
  const AccessCounts read = count_global(AccessKind::load, width, from, reading);
  const auto units = [&](Mask of, unsigned bytes) {
    return (of.count() * width + bytes - 1) / bytes;
  };
  const auto add_passes = [&](unsigned count, Mask of) {
    counts.wavefronts += count;
    counts.wavefronts_ideal += std::min(count, units(of, 128));
  };
  counts.sectors = read.sectors;
  counts.tags = read.tags;
  if (path == CopyPath::bypass) {
    LinePairs moved;
    for (const unsigned lane : reading) moved.add(from[lane], to[lane]);
    unsigned past_l1 = 0;
    counts.sectors = 0;
    for (unsigned i = 0; i < moved.count; ++i) {
      counts.sectors += static_cast<unsigned>(std::popcount(moved.pairs[i].sectors));
      past_l1 += passes(moved.pairs[i]);
    }
    add_passes(past_l1, reading);
  }
  if (path == CopyPath::through_l1 || lanes.fills())
    add_passes(passes_through_l1(width, from, to, reading, zeros), reading | zeros);
  counts.sectors_ideal = std::min(counts.sectors, units(reading, 32));
  return counts;
}

AccessCounts count_copy_in_metrics(CopyPath path, unsigned width, LaneAddresses from,
                                   LaneAddresses to, const CopyLanes& lanes,
                                   const CopyPredicates& predicates, bool fills) {
  AccessCounts counts = count_copy(path, width, from, to, lanes);
  if (path == CopyPath::through_l1 || (!predicates.guard_is_p0 && !predicates.operand_is_p0))
    return counts;
  const SeenLanes seen = lanes_seen_under_p0(lanes, predicates, fills);
  const AccessCounts read = count_copy(path, width, from, to, seen.of_sectors);
  const AccessCounts written = count_copy(path, width, from, to, seen.of_wavefronts);
  counts.sectors = read.sectors;
  counts.sectors_ideal = read.sectors_ideal;
  counts.wavefronts = written.wavefronts;
  counts.wavefronts_ideal = written.wavefronts_ideal;
  return counts;
}

}  // namespace heddle::simulator
