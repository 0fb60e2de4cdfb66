// The records the instruction probe runs on, the same on a GPU and in the test that replays it:
// one record a thread, filled from the kernel's name, a seed and the thread's number, biased
// towards the edges of the types the kernel's name gives. Plain C++; depends on nothing.
//
// A record, by bytes: 0 the memory an instruction may touch; 64 its operands, 8 bytes each; 192 its
// results, 8 bytes each; 336 and 400 what it left in shared and local memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace instruction_probe {

inline constexpr unsigned kRecordBytes = 512, kOperands = 64, kResults = 192, kWarp = 32;
inline constexpr unsigned kThreads = 1024, kBlock = 128, kSeeds = 4;
// Records of seed 0 that are kept in full.
inline constexpr unsigned kFull = 32;

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

// FNV-1a over words of 8 bytes (Fowler, Noll, Vo).
inline std::uint64_t hash(const void* data, std::size_t bytes,
                          std::uint64_t state = 0xcbf29ce484222325u) {
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, at + i, 8);
    state = (state ^ word) * 0x100000001b3u;
    state ^= state >> 29;
  }
  return state;
}

inline std::uint64_t edgy_integer(Random& random) {
  const std::uint64_t noise = random.next(), one = 1;
  switch (random.below(8)) {
    case 0:
      return noise % 70;
    case 1:
      return one << noise % 64;
    case 2:
      return (one << noise % 64) - 1;
    case 3:
      return ~(one << noise % 64);
    case 4:
      return 0 - noise % 70;
    case 5: {  // edges of every byte, half and word
      static constexpr std::uint64_t kEdges[] = {0x7f7f7f7f7f7f7f7fu, 0x8080808080808080u,
                                                 0x7fff7fff7fff7fffu, 0x8000800080008000u,
                                                 0x7fffffff7fffffffu, 0x8000000080000000u};
      return kEdges[noise % 6];
    }
    default:
      return noise;
  }
}

// A float of a sign, `exponent` and `fraction` bits, in the low bits.
inline std::uint64_t edgy_float(Random& random, unsigned exponent, unsigned fraction) {
  const std::uint64_t one = 1, noise = random.next();
  const std::uint64_t low = (one << fraction) - 1, top = (one << exponent) - 1, bias = top >> 1;
  const std::uint64_t sign = (noise >> 63) << (exponent + fraction);
  const std::uint64_t bits = random.next() & low;
  const auto make = [&](std::uint64_t e, std::uint64_t f) {
    return sign | (e & top) << fraction | (f & low);
  };
  switch (random.below(10)) {
    case 0: {  // zero, infinity, a NaN with a payload, the extremes
      const std::uint64_t kinds[] = {make(0, 0),         make(top, 0),  make(top, bits | 1),
                                     make(0, 1),         make(0, low),  make(1, 0),
                                     make(top - 1, low), make(top, low)};
      return kinds[noise % 8];
    }
    case 1:
      return make(0, bits);  // subnormal
    case 2:
      return make(bias, noise % 3 - 1);  // about 1
    case 3:
      return make(bias - 3 + noise % 8, bits & ~(low >> 3));  // few digits: halfway cases
    case 4:
      return make(bias + noise % (fraction + 4), bits & (low << (noise >> 32) % (fraction + 1)));
    case 5:
      return make(noise, noise % 5 - 2);
    case 6:
      return make(bias - 8 + noise % 16, bits);
    default:
      return make(noise, bits);
  }
}

// What a matrix is made of depends on the warp: values near one another, whole numbers, any finite
// value, now and then something special.
inline std::uint64_t matrix_float(Random& random, unsigned exponent, unsigned fraction,
                                  unsigned warp) {
  const std::uint64_t one = 1, noise = random.next();
  const std::uint64_t low = (one << fraction) - 1, top = (one << exponent) - 1, bias = top >> 1;
  const std::uint64_t sign = (noise >> 63) << (exponent + fraction), bits = random.next() & low;
  switch (warp % 4) {
    case 0: {
      const std::uint64_t spread = exponent < 5 ? 4 : 8;
      return sign | (bias - spread / 2 + noise % spread) << fraction | bits;
    }
    case 1:
      return sign | (bias + noise % 3) << fraction | (bits & ~(low >> 2));
    case 2:
      return sign | (noise % (top == 15 ? top + 1 : top)) << fraction |
             (top == 15 && noise % 16 == 15 ? bits % 7 : bits);
    default:
      return random.below(48) == 0 ? edgy_float(random, exponent, fraction)
                                   : sign | ((bias - 6 + noise % 12) & top) << fraction | bits;
  }
}

// An operand of a type as the names have it; `warp` counts from the first thread.
inline std::uint64_t operand(Random& random, std::string_view type, unsigned warp) {
  const auto twice = [&](auto make) {
    const std::uint64_t high = make();
    return high << 16 | make();
  };
  const auto four = [&](auto make) {
    std::uint64_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | make();
    return word;
  };
  if (type == "f32") return edgy_float(random, 8, 23);
  if (type == "f64") return edgy_float(random, 11, 52);
  if (type == "f16") return edgy_float(random, 5, 10);
  if (type == "bf16") return edgy_float(random, 8, 7);
  if (type == "f16x2") return twice([&] { return edgy_float(random, 5, 10); });
  if (type == "bf16x2") return twice([&] { return edgy_float(random, 8, 7); });
  if (type == "mf16") return twice([&] { return matrix_float(random, 5, 10, warp); });
  if (type == "mbf16") return twice([&] { return matrix_float(random, 8, 7, warp); });
  if (type == "mf32") return matrix_float(random, 8, 23, warp);
  if (type == "mf64") return matrix_float(random, 11, 52, warp);
  if (type == "me4m3") return four([&] { return matrix_float(random, 4, 3, warp); });
  if (type == "me5m2") return four([&] { return matrix_float(random, 5, 2, warp); });
  if (type == "count") return random.below(40);
  if (type == "pairs") {  // metadata of sparse TF32: the first or the second of each two
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word = word << 4 | (random.below(2) != 0 ? 0xe : 0x4);
    return word;
  }
  return edgy_integer(random);
}

// Fills the record of one thread. The types stand behind "__" in the kernel's name, split by '_'.
inline void fill(unsigned char* record, std::string_view kernel, unsigned seed, unsigned thread) {
  Random random{hash(kernel.data(), kernel.size()) ^ kernel.size() << 32 ^
                (std::uint64_t{seed} << 20 | thread) * 0x9e3779b97f4a7c15u};
  std::memset(record, 0, kRecordBytes);
  std::string_view types = kernel.substr(kernel.rfind("__") + 2);
  const std::string_view first = types.substr(0, types.find('_'));
  const bool wide = first.size() >= 2 && (first.substr(first.size() - 2) == "64");
  for (unsigned at = 0; at < kOperands; at += wide ? 8 : 4) {
    const std::uint64_t value = operand(random, first, thread / kWarp);
    std::memcpy(record + at, &value, wide ? 8 : 4);
  }
  for (unsigned at = kOperands; at < kResults && !types.empty(); at += 8) {
    const std::string_view type = types.substr(0, types.find('_'));
    types.remove_prefix(type.size() == types.size() ? types.size() : type.size() + 1);
    const std::uint64_t value = operand(random, type, thread / kWarp);
    std::memcpy(record + at, &value, 8);
  }
}

}  // namespace instruction_probe
