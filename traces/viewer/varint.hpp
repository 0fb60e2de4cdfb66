// Numbers in few bytes: seven bits a byte, lowest first, the top bit of all but the last set.
// traces/viewer/src/bytes.ts reads them.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::traces {

inline void put_varint(std::string& bytes, std::uint64_t value) {
  constexpr unsigned kBits = 7, kMore = 0x80;
  for (; value >= kMore; value >>= kBits) bytes += static_cast<char>((value & (kMore - 1)) | kMore);
  bytes += static_cast<char>(value);
}

// Small magnitudes of either sign become small numbers: 0, -1, 1, -2 … are 0, 1, 2, 3 …
constexpr std::uint32_t zigzag(std::uint32_t value) { return value << 1 ^ (0u - (value >> 31)); }
constexpr std::uint64_t zigzag(std::uint64_t value) {
  return value << 1 ^ (std::uint64_t{0} - (value >> 63));
}

}  // namespace heddle::traces
