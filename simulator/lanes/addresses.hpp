// What memory instructions compute of all lanes' addresses at once, in the widest vector unit there
// is.
#pragma once

#include <cstdint>

#include "simulator/base/mask.hpp"

namespace heddle::simulator {

inline constexpr unsigned kSectorShift = 5;  // 32 bytes
inline constexpr unsigned kLineShift = 7;    // 128 bytes: what one tag covers

}  // namespace heddle::simulator

namespace heddle::simulator::lanes {

// How the addresses of some lanes lie. Of fewer lanes the same spread holds.
struct AddressPattern {
  bool is_row = false;  // all 32 lanes: each one's piece begins where the one before it ends
  std::uint64_t spread = ~std::uint64_t{0};  // the bits in which any differs from the first one
};

// Arrays have an element for each lane.
struct AddressFunctions {
  // address[i] = base + (low[i] << shift), and base + (high[i] : low[i]). Both return the pattern
  // of `lanes`, which is not empty; a piece has `width` bytes.
  AddressPattern (*from_words)(std::uint64_t* address, std::uint64_t base, const std::uint32_t* low,
                               std::uint32_t shift, std::uint32_t width, Mask lanes);
  AddressPattern (*from_pairs)(std::uint64_t* address, std::uint64_t base, const std::uint32_t* low,
                               const std::uint32_t* high, std::uint32_t width, Mask lanes);
};

// Of the widest vector unit of this processor.
const AddressFunctions& address_functions();

}  // namespace heddle::simulator::lanes
