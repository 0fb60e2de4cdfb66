// What memory instructions compute of all lanes' addresses at once, in the widest vector unit there
// is.
#pragma once

#include <cstdint>

namespace heddle::simulator {

inline constexpr unsigned kSectorShift = 5;  // 32 bytes
inline constexpr unsigned kLineShift = 7;    // 128 bytes: what one tag covers

}  // namespace heddle::simulator

namespace heddle::simulator::lanes {

// How many 32-byte sectors and 128-byte lines hold the first bytes of 32 accesses.
struct Pieces {
  std::uint32_t sectors = 0, lines = 0;
  bool in_order = false;  // no lane's address is below the one's before it; else nothing is known
};

// Arrays have an element for each lane.
struct AddressFunctions {
  // address[i] = base + (low[i] << shift), and base + (high[i] : low[i]). Both return whether each
  // lane's piece of `width` bytes begins where the one before it ends.
  bool (*from_words)(std::uint64_t* address, std::uint64_t base, const std::uint32_t* low,
                     std::uint32_t shift, std::uint32_t width);
  bool (*from_pairs)(std::uint64_t* address, std::uint64_t base, const std::uint32_t* low,
                     const std::uint32_t* high, std::uint32_t width);
  // Addresses are below 2^63.
  Pieces (*pieces)(const std::uint64_t* address);
};

// Of the widest vector unit of this processor.
const AddressFunctions& address_functions();

}  // namespace heddle::simulator::lanes
