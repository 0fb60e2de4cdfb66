// Instructions by index, and by the address that code has on the device.
#pragma once

#include <cstdint>

#include "isa/program.hpp"

namespace heddle::simulator {

inline std::uint32_t index_of_code_address(std::uint64_t address) {
  return static_cast<std::uint32_t>((address - isa::kCodeBase) / 16);
}
inline std::uint64_t code_address_of_index(std::uint32_t index) {
  return isa::kCodeBase + std::uint64_t{16} * index;
}

}  // namespace heddle::simulator
