// What memory instructions find out about 32 addresses, and how they move what lies there, in the
// widest vector unit there is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/base/mask.hpp"
#include "simulator/lanes/addresses.hpp"

namespace heddle::simulator::lanes {

// Arrays have an element for each lane.
struct ScatteredFunctions {
  // How many different sectors and lines hold the addresses of `lanes`, which is not empty
  // (kSectorShift, kLineShift). `spread`: as of AddressPattern, here and below; all ones where it
  // is not known.
  struct Distinct {
    std::uint32_t sectors, lines;
  };
  Distinct (*distinct)(const std::uint64_t* address, Mask lanes, std::uint64_t spread);
  // The different units of shared memory, of 1 << `shift` bytes (4, 8 or 16), that `lanes` access,
  // which is not empty. There are as many banks as units in a line. `near`, where it is not 0: a
  // bit for each unit from the first of some line on. Else they are sorted by bank: a bit for each
  // place in that order where another unit than before it stands, and where another bank does;
  // where none shares its bank one unit may stand for all.
  struct Banks {
    std::uint64_t near;
    std::uint32_t units, banks;
  };
  Banks (*banks)(const std::uint64_t* address, Mask lanes, std::uint32_t shift,
                 std::uint64_t spread);
  // The same of each eight lanes on their own, where the spread says that all are near: a bit for
  // each unit of 1 << `shift` bytes, from a multiple of 64 units on.
  void (*near_by_eights)(const std::uint64_t* address, Mask lanes, std::uint32_t shift,
                         std::uint64_t* bits);
  // Whether the addresses of `lanes`, which is not empty, lie as far from one another as these did.
  bool (*lie_as)(const std::uint64_t* address, const std::uint64_t* before, Mask lanes);
  // The spread of `lanes`, which is not empty: 0 where all have one address.
  std::uint64_t (*spread)(const std::uint64_t* address, Mask lanes);
  // The lowest and the highest address of `lanes`, which is not empty; the bits that are set in any
  // of their addresses. Addresses are below 2^63.
  struct Range {
    std::uint64_t lowest, highest, bits;
  };
  Range (*range)(const std::uint64_t* address, Mask lanes);
  // view[i] = first + (address[i] - lowest).
  void (*views)(const std::uint64_t* address, std::uint64_t lowest, std::byte* first,
                std::byte** view);
  // row[i] = the word of a line (kLineShift) that lane i's address names: its low bits say which.
  void (*take_from_line)(const std::byte* line, const std::uint64_t* address, Mask lanes,
                         std::uint32_t* row);
  // row[i] = what lies at from[i], for each of `lanes`: 1, 2 or 4 words, into as many rows.
  void (*load_words)(const std::byte* const* from, Mask lanes, std::uint32_t* row);
  void (*load_pairs)(const std::byte* const* from, Mask lanes, std::uint32_t* rows);
  void (*load_quads)(const std::byte* const* from, Mask lanes, std::uint32_t* rows);
  // Of a row those of `lanes`: row[i] = value, first + i, from[i].
  void (*fill)(std::uint32_t* row, std::uint32_t value, Mask lanes);
  void (*count_up)(std::uint32_t* row, std::uint32_t first, Mask lanes);
  void (*copy_lanes)(const std::uint32_t* from, std::uint32_t* row, Mask lanes);
  // Memory that holds 1, 2 or 4 words of each lane, lane after lane: into as many rows, and from
  // them. Rows are stored as lane functions load them: what was stored in smaller pieces just now
  // could not be loaded before it has left for the cache.
  void (*copy_row)(const void* from, void* to);
  void (*split_pairs)(const std::byte* from, std::uint32_t* rows);
  void (*split_quads)(const std::byte* from, std::uint32_t* rows);
  void (*join_pairs)(const std::uint32_t* rows, std::byte* to);
  void (*join_quads)(const std::uint32_t* rows, std::byte* to);
};

// Of the widest vector unit of this processor.
const ScatteredFunctions& find_scattered_functions();
inline const ScatteredFunctions& scattered_functions() {
  static const ScatteredFunctions& widest = find_scattered_functions();
  return widest;
}

}  // namespace heddle::simulator::lanes
