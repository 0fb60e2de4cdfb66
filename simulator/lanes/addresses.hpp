// What memory instructions compute of all lanes' addresses at once, in the widest vector unit there
// is.
#pragma once

#include <cstdint>

namespace heddle::simulator {

inline constexpr unsigned kSectorShift = 5;  // 32 bytes
inline constexpr unsigned kLineShift = 7;    // 128 bytes: what one tag covers

}  // namespace heddle::simulator

namespace heddle::simulator::lanes {

// Arrays have an element for each lane.
struct AddressFunctions {
  // address[i] = base + (low[i] << shift), and base + (high[i] : low[i]). Both return whether each
  // lane's piece of `width` bytes begins where the one before it ends.
  bool (*from_words)(std::uint64_t* address, std::uint64_t base, const std::uint32_t* low,
                     std::uint32_t shift, std::uint32_t width);
  bool (*from_pairs)(std::uint64_t* address, std::uint64_t base, const std::uint32_t* low,
                     const std::uint32_t* high, std::uint32_t width);
};

// Of the widest vector unit of this processor.
const AddressFunctions& address_functions();

}  // namespace heddle::simulator::lanes
