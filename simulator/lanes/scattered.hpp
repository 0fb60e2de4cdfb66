// What memory instructions find out about 32 addresses that do not adjoin, in the widest vector
// unit there is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/lanes/addresses.hpp"

namespace heddle::simulator::lanes {

// Arrays have an element for each lane.
struct ScatteredFunctions {
  // How many different sectors and lines hold the addresses (kSectorShift, kLineShift).
  struct Distinct {
    std::uint32_t sectors, lines;
  };
  Distinct (*distinct)(const std::uint64_t* address);
  // The lowest and the highest address of `lanes`, which is not empty; the bits that are set in any
  // of their addresses. Addresses are below 2^63.
  struct Range {
    std::uint64_t lowest, highest, bits;
  };
  Range (*range)(const std::uint64_t* address, std::uint32_t lanes);
  // view[i] = first + (address[i] - lowest).
  void (*views)(const std::uint64_t* address, std::uint64_t lowest, std::byte* first,
                std::byte** view);
};

// Of the widest vector unit of this processor.
const ScatteredFunctions& scattered_functions();

}  // namespace heddle::simulator::lanes
