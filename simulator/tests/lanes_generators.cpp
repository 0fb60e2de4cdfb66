#include "simulator/tests/lanes_generators.hpp"

namespace heddle::simulator::lanes {
namespace {

template <std::size_t kCount>
u64 one_of(std::mt19937_64& random, const u64 (&values)[kCount]) {
  return values[random() % kCount];
}

}  // namespace

u64 edgy_integer(std::mt19937_64& random) {
  const u64 noise = random();
  switch (random() % 6) {
    case 0:
      return noise % 70;
    case 1:
      return u64{1} << (noise % 32);
    case 2:
      return static_cast<u32>((u64{1} << (noise % 32)) - 1);
    case 3:
      return static_cast<u32>(~(u64{1} << (noise % 32)));
    case 4:
      return static_cast<u32>(0 - noise % 70);
    default:
      return static_cast<u32>(noise);
  }
}

u64 edgy_integer64(std::mt19937_64& random) {
  return edgy_integer(random) | edgy_integer(random) << 32;
}

u64 edgy_float32(std::mt19937_64& random) {
  static constexpr u64 kSpecial[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                     0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x3f800000,
                                     0xbf800000, 0x3f000000, 0x4b800000, 0x3f7fffff, 0x40000000};
  // Products of these lie about 2^-126, some of them rounding up to it.
  static constexpr u64 kNearTheSmallestNormal[] = {0x3f7fffff, 0x3f7ffffe, 0x00800000, 0x00800001,
                                                   0x3f800001, 0x1fffffff, 0x20000000, 0x007fffff};
  const u64 noise = random();
  const u64 sign = noise >> 32 << 31 & 0x80000000;
  switch (random() % 9) {
    case 0:
      return one_of(random, kSpecial);
    case 1:
      return sign | (noise & 0x7fffff);  // subnormal
    case 2:
      return sign | (noise % 3 + 0x3f800000 - 1);  // about 1
    case 3:
      return sign | ((noise >> 8 & 7) + 124) << 23 | (noise & 0x7ff) << 12;
    case 4:
      return sign | ((noise & 0x3f) + 96) << 23 | (random() & 0x7fffff);
    case 5:
      return sign | (noise & 0xff) << 23 | ((random() % 5 - 2) & 0x7fffff);
    case 6:
      return sign | ((noise & 15) + 127) << 23 | (random() & 0x7fff00);
    case 7:
      return sign | one_of(random, kNearTheSmallestNormal);
    default:
      return static_cast<u32>(noise);
  }
}

u64 edgy_float64(std::mt19937_64& random) {
  static constexpr u64 kSpecial[] = {0,
                                     u64{1} << 63,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x7ff0000000000001,
                                     0xffffffffffffffff,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x41dfffffffc00000,
                                     0x41f0000000000000,
                                     0x43e0000000000000,
                                     0x43f0000000000000,
                                     0x47efffffe0000000,
                                     0x3810000000000000};
  const u64 noise = random();
  const u64 sign = noise & u64{1} << 63, fraction = random() & 0xfffffffffffff;
  switch (random() % 8) {
    case 0:
      return one_of(random, kSpecial);
    case 1:
      return sign | fraction;
    case 2:
      return sign | ((noise & 7) + 1020) << 52 | (fraction & 0xffff000000000);
    case 3:
      return sign | ((noise & 0x3f) + 990) << 52 | fraction;
    case 4:
      return sign | ((noise & 0x1ff) + 760) << 52 | (fraction & ~u64{0x1ffffff});
    case 5:
      return sign | ((noise & 0x3f) + 1023) << 52 | fraction;
    case 6:
      return sign | u64{0x7ff} << 52 | fraction >> (noise & 63);  // mostly NaN
    default:
      return noise;
  }
}

u64 edgy_half2(std::mt19937_64& random) {
  static constexpr u64 kSpecial[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400,
                                     0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01,
                                     0xffff, 0x3c00, 0x3bff, 0x3bfe, 0x0401};
  const auto half = [&]() -> u64 {
    const u64 noise = random();
    switch (random() % 4) {
      case 0:
        return one_of(random, kSpecial);
      case 1:
        return (noise & 0x8000) | (noise & 0x3ff);
      case 2:
        return (noise & 0x8000) | ((noise >> 20 & 7) + 12) << 10 | (noise & 0x3ff);
      default:
        return noise & 0xffff;
    }
  };
  const u64 high = half();
  return high << 16 | half();
}

}  // namespace heddle::simulator::lanes
