// How many bytes a spill instruction moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::isa {

struct SpillBytes {
  std::uint32_t stored = 0, loaded = 0;
  SpillBytes& operator+=(const SpillBytes& other) {
    stored += other.stored;
    loaded += other.loaded;
    return *this;
  }
};

// Of the instruction at `offset` in `text`; nothing where that is no STL and no LDL.
SpillBytes spill_bytes(std::span<const std::byte> text, std::uint64_t offset);

}  // namespace heddle::isa
