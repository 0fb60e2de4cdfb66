// Accesses of which all is done at once: where lanes' words lie is found, counted, and they are
// moved, in the widest vector unit there is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/base/mask.hpp"
#include "simulator/lanes/scattered.hpp"

namespace heddle::simulator::lanes {

// A piece of memory; its address is that of a line.
struct Piece {
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;
  std::byte* data;
  std::uint64_t address, bytes;
};

// Memory that each lane has for itself, all at one address; that of lane i lies i * stride bytes
// further on.
struct OwnMemory {
  std::byte* data;
  std::uint32_t address, bytes, stride;
};

// Arrays have an element for each lane; `lanes` is not empty.
struct AccessFunctions {
  // rows[i] = what lies at base + (high[i] : low[i]): a byte or a half, extended with its sign or
  // without, or 1, 2 or 4 words, into as many rows. In which sectors and lines. Where not all of
  // that is of the piece, and aligned, there are none, and nothing is done.
  using Load = ScatteredFunctions::Distinct (*)(const Piece& piece, std::uint64_t base,
                                                const std::uint32_t* low, const std::uint32_t* high,
                                                Mask lanes, std::uint32_t* rows);
  Load load_bytes, load_signed_bytes, load_halves, load_signed_halves;
  Load load_words, load_pairs, load_quads;
  // The other way: of lanes that name one place the highest one's word stays.
  ScatteredFunctions::Distinct (*store_words)(const Piece& piece, std::uint64_t base,
                                              const std::uint32_t* low, const std::uint32_t* high,
                                              Mask lanes, const std::uint32_t* row);
  // The same of words of shared memory, at base + low[i]. In how many passes that is served; 0 too
  // where addresses differ by 64 words or more.
  std::uint32_t (*load_shared)(const Piece& piece, std::uint64_t base, const std::uint32_t* low,
                               Mask lanes, std::uint32_t* row);
  std::uint32_t (*store_shared)(const Piece& piece, std::uint64_t base, const std::uint32_t* low,
                                Mask lanes, const std::uint32_t* row);
  // And of lanes' own memory. In how many sectors (count_local); 0 as above.
  std::uint32_t (*load_own)(const OwnMemory& memory, std::uint32_t base, const std::uint32_t* low,
                            Mask lanes, std::uint32_t* row);
  std::uint32_t (*store_own)(const OwnMemory& memory, std::uint32_t base, const std::uint32_t* low,
                             Mask lanes, const std::uint32_t* row);
};

// Of the widest vector unit of this processor.
const AccessFunctions& find_access_functions();
inline const AccessFunctions& access_functions() {
  static const AccessFunctions& widest = find_access_functions();
  return widest;
}

}  // namespace heddle::simulator::lanes
