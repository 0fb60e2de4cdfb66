#include "simulator/memory/copy_counts.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator {
namespace {

constexpr unsigned kSectorsOfLine = 1u << (kLineShift - kSectorShift);

// Of lanes that write the same place the lowest.
Mask lanes_of_places(LaneAddresses to, Mask lanes) {
  std::array<std::uint64_t, kWarpSize> places;
  unsigned count = 0;
  std::uint64_t taken = 0;  // by 64 classes of places: who is the first of one has a new place
  Mask first;
  for (const unsigned lane : lanes) {
    const std::uint64_t of_class = 1ull << (to[lane] / 16 % 64);
    const auto end = places.begin() + count;
    if ((taken & of_class) != 0 && std::find(places.begin(), end, to[lane]) != end) continue;
    taken |= of_class;
    places[count++] = to[lane];
    first |= Mask::of(lane);
  }
  return first;
}

// What goes from a sector of global memory to one of shared memory: bit h + 2 g is set where half g
// goes to half h. A half that goes to both goes twice.
struct Move {
  std::uint64_t from, to;
  unsigned halves;
};

struct Moves {
  std::array<Move, kWarpSize> of;
  unsigned count = 0;

  Moves(LaneAddresses from, LaneAddresses to, Mask lanes) {
    const auto half_of = [](std::uint64_t address) {
      return static_cast<unsigned>(address >> (kSectorShift - 1)) & 1u;
    };
    for (const unsigned lane : lanes) {
      const std::uint64_t sector = from[lane] >> kSectorShift, place = to[lane] >> kSectorShift;
      const unsigned half = half_of(from[lane]);
      const auto end = of.begin() + count;
      const auto same = std::find_if(of.begin(), end, [&](const Move& move) {
        return move.from == sector && move.to == place && (move.halves >> 2 * half & 3u) == 0;
      });
      if (same == end) of[count++] = {sector, place, 0};
      same->halves |= 1u << (2 * half + half_of(to[lane]));
    }
  }
};

// What goes from one line of global memory to one of shared memory by the same halves, from even
// sectors to even and from odd to odd ones or the other way about: bit s + 4 g is set where some of
// sector g goes to sector s.
struct LinePair {
  std::uint64_t from, to;
  unsigned halves;
  bool crosses;  // from even sectors to odd, from odd to even ones
  std::uint32_t sectors;
};

struct LinePairs {
  std::array<LinePair, kWarpSize> pairs;
  unsigned count = 0;

  void add(const Move& move) {
    const std::uint64_t from = move.from / kSectorsOfLine, to = move.to / kSectorsOfLine;
    const bool crosses = ((move.from ^ move.to) & 1) != 0;
    const auto end = pairs.begin() + count;
    const auto same = std::find_if(pairs.begin(), end, [&](const LinePair& pair) {
      return pair.from == from && pair.to == to && pair.halves == move.halves &&
             pair.crosses == crosses;
    });
    if (same == end) pairs[count++] = {from, to, move.halves, crosses, 0};
    same->sectors |= 1u << (move.from % kSectorsOfLine * kSectorsOfLine + move.to % kSectorsOfLine);
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
  const Mask moving = path == CopyPath::bypass ? lanes_of_places(to, reading) : reading;
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
    const Moves moves(from, to, moving);
    LinePairs pairs;
    for (unsigned i = 0; i < moves.count; ++i) pairs.add(moves.of[i]);
    unsigned past_l1 = 0;
    for (unsigned i = 0; i < pairs.count; ++i) past_l1 += passes(pairs.pairs[i]);
    counts.sectors = moves.count;
    add_passes(past_l1, moving);
  }
  if (path == CopyPath::through_l1 || lanes.fills())
    add_passes(passes_through_l1(width, from, to, reading, zeros), reading | zeros);
  counts.sectors_ideal = std::min(counts.sectors, units(moving, 32));
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
