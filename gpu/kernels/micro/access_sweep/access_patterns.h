// The access patterns that the sweep measures and that the tests of the counting rules replay:
// where each lane of a warp accesses memory, and which lanes do. Plain C++; depends on nothing.
#pragma once

#include <cstdint>

namespace access_patterns {

struct Pattern {
  std::uint32_t offset[32];  // bytes; multiples of the width, below the region's size
  std::uint32_t mask;        // the lanes that take part
};

// SplitMix64 (Steele, Lea, Flood 2014).
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }
};

inline std::uint32_t random_mask(Random& random) {
  const auto word = [&] { return static_cast<std::uint32_t>(random.next()); };
  switch (random.below(10)) {
    case 0:
      return word();
    case 1: {  // neighbours
      const std::uint32_t first = random.below(32), last = first + random.below(32 - first);
      return (last == 31 ? ~0u : (1u << (last + 1)) - 1) & ~((1u << first) - 1);
    }
    case 2:
      return word() & word() & word();
    case 3:
      return 1u << random.below(32);
    case 4:
      return word() | word();
    case 5: {
      static constexpr std::uint32_t kRegular[] = {0x55555555, 0xaaaaaaaa, 0x0f0f0f0f, 0x33333333,
                                                   0x0000ffff, 0xffff0000, 0x11111111, 0x00ff00ff};
      return kRegular[random.below(8)];
    }
    default:
      return ~0u;
  }
}

// Element numbers (to be multiplied by the width) of one of ten families.
inline void random_elements(Random& random, std::uint32_t width, std::uint32_t (&element)[32]) {
  const std::uint32_t base = random.below(64);
  const std::uint32_t family = random.below(10);
  const std::uint32_t a = random.below(41), b = random.below(512 / width + 1);
  const std::uint32_t shift = random.below(6), flip = random.below(32);
  const std::uint32_t window = 1u << random.below(13);
  std::uint32_t places[4];
  for (std::uint32_t& place : places) place = random.below(4096);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    switch (family) {
      case 0:
        element[lane] = base + lane;
        break;
      case 1:
        element[lane] = base + lane * a;
        break;
      case 2:
        element[lane] = base + lane;
        break;  // shuffled below
      case 3:
        element[lane] = base + random.below(window);
        break;
      case 4:
        element[lane] = base + (lane >> shift) * a;
        break;
      case 5:
        element[lane] = base + (lane ^ flip);
        break;
      case 6:
        element[lane] = base + (lane & ((1u << shift) - 1)) * a + (lane >> shift) * b;
        break;
      case 7:
        element[lane] = places[random.below(4)] + random.below(4);
        break;
      case 8:
        element[lane] = base + (31 - lane) * (1 + a % 4);
        break;
      default:
        element[lane] = random.below(1u << 20);
        break;
    }
  }
  if (family != 2) return;
  for (std::uint32_t lane = 31; lane > 0; --lane) {
    const std::uint32_t other = random.below(lane + 1), kept = element[lane];
    element[lane] = element[other];
    element[other] = kept;
  }
}

// The regular patterns: strides and alignments, then lane masks, then large strides.
inline Pattern regular_pattern(std::uint32_t index, std::uint32_t width, std::uint32_t region) {
  Pattern pattern;
  pattern.mask = ~0u;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t element = lane;
    if (index < 128) {
      element = index % 8 + lane * (index / 8);
    } else if (index < 192) {
      const std::uint32_t lanes = index % 32;
      pattern.mask = index < 160 ? (2u << lanes) - 1 : ~0u << lanes;
    } else {
      element = index % 4 + lane * ((index - 192) / 4 + 1) * (index % 2 == 0 ? 16 : 8);
    }
    pattern.offset[lane] = element * width & (region - 1);
  }
  return pattern;
}

// Few different addresses, without bank conflicts among them, and many lane masks: when are parts
// of a warp served together?
inline constexpr std::uint32_t kFirstMaskSet = 1u << 16;
inline Pattern mask_pattern(std::uint32_t set, std::uint32_t index, std::uint32_t width) {
  Random random{(std::uint64_t{set} << 32 | index) * 0x2545f4914f6cdd1du};
  Pattern pattern;
  const std::uint32_t density = random.below(4);
  pattern.mask = static_cast<std::uint32_t>(random.next());
  if (density == 0) pattern.mask |= static_cast<std::uint32_t>(random.next());
  if (density >= 2) pattern.mask &= static_cast<std::uint32_t>(random.next());
  if (density == 3) pattern.mask &= static_cast<std::uint32_t>(random.next());
  if (random.below(3) == 0) pattern.mask &= random.below(2) == 0 ? 0xffffu : 0xffff0000u;
  const std::uint32_t slots = 128 / width;
  std::uint32_t rank = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t slot = 0;
    switch (set % 8) {
      case 0:
        break;
      case 1:
        slot = rank % slots;
        break;
      case 2:
        slot = lane / 8;
        break;
      case 3:
        slot = lane / 2 % slots;
        break;
      case 4:
        slot = (lane / 4 * 2 + lane % 2) % slots;
        break;
      case 5:
        slot = lane % slots;
        break;
      case 6:
        slot = lane / 4 % slots;
        break;
      default:
        slot = random.below(2);
        break;
    }
    rank += pattern.mask >> lane & 1;
    pattern.offset[lane] = slot * width;
  }
  return pattern;
}

// Pattern number `index` of a set. Set 0 is regular, those from kFirstMaskSet on vary lane masks,
// all others are random. `region` is a power of two, in bytes.
inline Pattern pattern(std::uint32_t set, std::uint32_t index, std::uint32_t width,
                       std::uint32_t region) {
  if (set == 0) return regular_pattern(index, width, region);
  if (set >= kFirstMaskSet) return mask_pattern(set, index, width);
  Random random{(std::uint64_t{set} << 32 | index) * 0x2545f4914f6cdd1du + width};
  Pattern pattern;
  pattern.mask = random_mask(random);
  std::uint32_t element[32];
  random_elements(random, width, element);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    pattern.offset[lane] = element[lane] * width & (region - 1);
  return pattern;
}

}  // namespace access_patterns
