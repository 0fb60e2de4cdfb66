#include "isa/spills.hpp"

#include <array>
#include <cstring>

#include "isa/word.hpp"

namespace heddle::isa {

SpillBytes spill_bytes(std::span<const std::byte> text, std::uint64_t offset) {
  Word word;
  if (offset > text.size() || text.size() - offset < sizeof word) return {};
  std::memcpy(&word, text.data() + offset, sizeof word);
  constexpr std::array<std::uint32_t, 8> kBytes{1, 1, 2, 2, 4, 8, 16, 0};  // by size field
  const std::uint32_t bytes = kBytes[word.bits(73, 3)];
  constexpr std::uint64_t kLdl = 0x983, kStl = 0x387;  // on every architecture from sm_75 to sm_90
  if (word.bits(0, 12) == kStl) return {.stored = bytes, .loaded = 0};
  if (word.bits(0, 12) == kLdl) return {.stored = 0, .loaded = bytes};
  return {};
}

}  // namespace heddle::isa
