// What the form probe's kernels find beside their records (instruction_probe/inputs.hpp): a
// texture, a surface, and maps of the records as a tensor. Plain C++, the same on a GPU and in the
// test.
#pragma once

#include <array>
#include <cstdint>

#include "inputs.hpp"

namespace form_probe {

namespace probe = instruction_probe;

// Texture and surface: texels of four words, of which kernels read places below 32 in both
// directions. Only the texture is filled.
inline constexpr unsigned kSide = 32, kWords = 4;
using Texels = std::array<std::uint32_t, kSide * kSide * kWords>;
inline Texels texels() {
  Texels made{};
  probe::Random random{1};
  for (std::uint32_t& word : made) word = static_cast<std::uint32_t>(random.next());
  return made;
}

// The records as a tensor of words, each of them a row; a box is four words of a block's records.
// The first map says so in two dimensions; the second, for im2col, has one image of a row.
inline constexpr unsigned kMapBytes = 128, kRowWords = probe::kRecordBytes / 4, kBoxWords = 4;
inline constexpr unsigned kBoxRows = probe::kBlock;

// Records of seed 0 that are kept in full.
inline constexpr unsigned kFull = 8;

}  // namespace form_probe
