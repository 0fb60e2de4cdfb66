// The address patterns of the sweep over copies from global to shared memory: two addresses a lane.
// Plain C++.
#pragma once

#include "access_patterns.h"

namespace access_patterns {

struct CopyPattern {
  Pattern from, to;  // global, shared; the mask is from's
};

// Rows of a matrix as programs copy them: `row` lanes to each, `step` pieces from one to the next,
// rows `pitch` pieces apart, and the pieces of a row swapped by its number where `swizzle` says so.
struct Tile {
  std::uint32_t row, step, pitch, first, swizzle;
  std::uint32_t element(std::uint32_t lane) const {
    const std::uint32_t y = lane / row, x = (lane % row * step) ^ (y & swizzle);
    return first + y * pitch + x;
  }
};

inline Tile random_tile(Random& random, std::uint32_t width, bool is_shared) {
  Tile tile{};
  tile.row = 1u << random.below(6);
  tile.step = random.below(3) == 0 ? 1u << random.below(3) : 1;
  const std::uint32_t used = tile.row * tile.step, piece = 16 / width;
  if (is_shared) {
    tile.pitch = used + random.below(3) * (random.below(2) == 0 ? piece : 1);
    tile.swizzle = random.below(3) == 0 ? used - 1 : 0;
    tile.first = random.below(2) == 0 ? 0 : random.below(64);
  } else {
    tile.pitch = random.below(2) == 0 ? used : (16u << random.below(5)) * piece;
    tile.first = random.below(3) == 0 ? random.below(32) : random.below(8) * 2 * piece;
  }
  return tile;
}

// Sets 0 mod 4 copy rows that programs might; 1: to a row, from anywhere; 2: from a row to
// anywhere; 3: both anywhere.
inline CopyPattern copy_pattern(std::uint32_t set, std::uint32_t index, std::uint32_t width,
                                std::uint32_t from_region, std::uint32_t to_region) {
  Random random{(std::uint64_t{set} << 32 | index) * 0x2545f4914f6cdd1du + 977 * width};
  CopyPattern copy;
  const std::uint32_t kind = set % 4;
  copy.from.mask = random.below(2) == 0 ? ~0u : random_mask(random);
  std::uint32_t from[32], to[32];
  random_elements(random, width, from);
  random_elements(random, width, to);
  const Tile here = random_tile(random, width, false), there = random_tile(random, width, true);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (kind == 0) from[lane] = here.element(lane);
    if (kind == 0) to[lane] = there.element(lane);
    if (kind == 1) to[lane] = lane;
    if (kind == 2) from[lane] = lane;
    copy.from.offset[lane] = from[lane] * width & (from_region - 1);
    copy.to.offset[lane] = to[lane] * width & (to_region - 1);
  }
  copy.to.mask = copy.from.mask;
  return copy;
}

}  // namespace access_patterns
