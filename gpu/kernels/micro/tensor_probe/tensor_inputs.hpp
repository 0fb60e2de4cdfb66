// What tensor_probe asks for, the same on a GPU and in the test that replays it: descriptions of
// tensors, copies and reductions of boxes of them. Plain C++; numbers are those of cuda.h.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "inputs.hpp"

namespace tensor_probe {

using instruction_probe::Random;

// From kFurther on: boxes of interleaved tensors, and im2col that begins anywhere.
inline constexpr unsigned kCases = 1700, kFurther = 1200, kMaps = 4096;
inline constexpr unsigned kTensorBytes = 1 << 16, kSharedBytes = 1 << 14;
// What a block leaves: its shared memory, and whether the bytes came.
inline constexpr unsigned kLeft = kSharedBytes + 8;
inline constexpr std::uint64_t kMapAddress = 0x7f12'3456'0000;  // of maps that nobody uses

// Bytes of an element, by CUtensorMapDataType.
inline constexpr unsigned kTypes = 13;
inline constexpr unsigned kTypeBytes[kTypes] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct Tensor {
  unsigned type = 0, rank = 1, interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  std::uint64_t offset = 0;  // from the tensor's memory on
  std::array<std::uint64_t, 5> size{};
  std::array<std::uint64_t, 4> stride{};
  std::array<std::uint32_t, 5> box{}, step{};
  // Im2col.
  bool im2col = false;
  std::array<int, 3> lower{}, upper{};
  unsigned channels = 0, pixels = 0;

  // Elements of a box along a dimension that come to shared memory.
  unsigned extent(unsigned i) const { return (box[i] + step[i] - 1) / step[i]; }
  // What the box takes of shared memory: rows of a swizzled one begin where the pattern begins.
  unsigned span() const {
    const unsigned row = (im2col ? channels : box[0]) * kTypeBytes[type];
    return swizzle == 0 || interleave != 0 ? box_bytes() : box_bytes() / row * (16u << swizzle);
  }
  unsigned box_bytes() const {
    if (interleave != 0) return interleaved_bytes();
    if (im2col) return channels * pixels * kTypeBytes[type];
    unsigned bytes = kTypeBytes[type];
    for (unsigned i = 0; i < rank; ++i) bytes *= extent(i);
    return bytes;
  }
  // Of one slice of channels, whatever the box says.
  unsigned interleaved_bytes() const {
    unsigned bytes = 16 * interleave * (im2col ? pixels : 1);
    for (unsigned i = 0; i < rank && !im2col; ++i) bytes *= i + 2 == rank ? 1 : extent(i);
    return bytes;
  }
};

enum class Does : unsigned { load, store, reduce, load_im2col, store_im2col, multicast };

struct Case {
  Does does = Does::load;
  Tensor tensor;
  std::array<int, 5> at{};
  std::array<int, 3> corner{};  // offsets of im2col
  unsigned operation = 0;       // of a reduction: add min max inc dec and or xor
  unsigned shared = 0;          // offset of the box in shared memory
};

// A description that is allowed, of a tensor that fits.
inline Tensor allowed_tensor(Random& random, bool reduces, bool im2col) {
  static constexpr unsigned kReducible[] = {2, 3, 4, 5, 6, 7, 9};
  for (;;) {
    Tensor t;
    t.type = reduces ? kReducible[random.below(7)] : random.below(kTypes);
    t.im2col = im2col;
    t.rank = im2col ? 3 + random.below(3) : 1 + random.below(5);
    t.swizzle = random.below(4);
    t.promotion = random.below(4);
    const bool is_float = t.type >= 6;
    t.fill = is_float && random.below(3) == 0 ? 1 : 0;
    t.offset = 16 * random.below(8);
    const unsigned bytes = kTypeBytes[t.type];
    std::uint64_t total = bytes;
    for (unsigned i = 0; i < t.rank; ++i) {
      t.size[i] = i == 0 ? 1 + random.below(96) : 1 + random.below(t.rank > 3 ? 7 : 20);
      if (i == 0) {
        total = (t.size[0] * bytes + 15) / 16 * 16 + 16 * random.below(3);
      } else {
        if (i < t.rank) t.stride[i - 1] = total;
        total = total * t.size[i] + (random.below(4) == 0 ? 16 : 0);
      }
    }
    const unsigned row = t.swizzle == 0 ? 256 : 16u << t.swizzle;
    if (im2col) {
      t.channels = 16 / bytes * (1 + random.below(row / 16));
      t.pixels = 1 + random.below(24);
      const int reach = t.rank == 3 ? 12 : t.rank == 4 ? 6 : 4;
      for (unsigned i = 0; i + 2 < t.rank; ++i) {
        t.lower[i] = static_cast<int>(random.below(static_cast<unsigned>(reach))) - reach / 2;
        t.upper[i] = static_cast<int>(random.below(static_cast<unsigned>(reach))) - reach / 2;
      }
      for (unsigned i = 0; i < t.rank; ++i) t.step[i] = i == 0 ? 1 : 1 + random.below(2);
      if (t.channels > 256) continue;
    } else {
      t.box[0] = std::min(256u, 16 / bytes * (1 + random.below(row / 16)));
      for (unsigned i = 1; i < t.rank; ++i) t.box[i] = 1 + random.below(t.rank > 3 ? 5 : 12);
      for (unsigned i = 0; i < t.rank; ++i)
        t.step[i] = i == 0 || random.below(4) != 0 ? 1 : 1 + random.below(3);
    }
    if (total + t.offset <= kTensorBytes && t.box_bytes() <= kSharedBytes / 2) return t;
  }
}

// Corners that leave pixels, and a place among them.
inline void place_pixels(Random random, Case& c) {
  Tensor& t = c.tensor;
  for (unsigned i = 0; i + 2 < t.rank; ++i) {
    const int size = static_cast<int>(t.size[i + 1]);
    if (size + t.upper[i] <= t.lower[i]) t.lower[i] = t.upper[i] = 0;
    const int left = size + t.upper[i] - t.lower[i];
    c.at[i + 1] = t.lower[i] + static_cast<int>(random.below(static_cast<unsigned>(left)));
  }
  c.at[t.rank - 1] = static_cast<int>(random.below(static_cast<unsigned>(t.size[t.rank - 1])));
}

// An interleaved tensor that is small in all dimensions: of its dimension 0 a slice is an element.
inline Tensor interleaved_tensor(Random& random, bool reduces, bool im2col) {
  Tensor t = allowed_tensor(random, reduces, im2col);
  t.interleave = 1 + random.below(2);
  t.rank = std::max(t.rank, 3u);
  t.offset = 32 * random.below(4);
  std::uint64_t total = 16 * t.interleave;
  for (unsigned i = 0; i < t.rank; ++i) {
    t.size[i] = i == 0 ? 3 + random.below(14) : 2 + random.below(t.rank > 4 ? 3 : 5);
    if (i != 0) t.stride[i - 1] = total;
    total = total * t.size[i] + (random.below(4) == 0 ? 32 : 0);
    if (i != 0) t.box[i] = 1 + random.below(3);
    t.step[i] = random.below(4) != 0 ? 1 : 1 + random.below(3);
  }
  const unsigned unit = 16 / std::min(16u, kTypeBytes[t.type]);
  t.box[0] = unit * (1 + random.below(t.interleaved_bytes() > 512 ? 1 : 2));
  t.channels = unit * (1 + random.below(2));
  t.pixels = 1 + random.below(12);
  return t;
}

// Some of these an H200 refuses: stores before the tensor or of elements that do not adjoin, and
// im2col whose first pixel is not within the corners.
inline Case further_case(unsigned number) {
  Random random{0x17e1eau + number * 0x9e3779b97f4a7c15u};
  Case c;
  static constexpr Does kKinds[] = {Does::load,        Does::load,        Does::store,
                                    Does::reduce,      Does::load_im2col, Does::store_im2col,
                                    Does::load_im2col, Does::multicast};
  c.does = kKinds[number % 8];
  const bool im2col = c.does == Does::load_im2col || c.does == Does::store_im2col;
  const bool reduces = c.does == Does::reduce, stores = reduces || c.does == Does::store;
  c.tensor = number % 8 == 6 ? allowed_tensor(random, false, true)
                             : interleaved_tensor(random, reduces, im2col);
  Tensor& t = c.tensor;
  const unsigned first = t.interleave == 0 ? 1 : 0;
  if (t.swizzle != 0 && t.interleave == 0 && t.span() > kSharedBytes / 2) t.swizzle = 0;
  for (unsigned i = 0; i < t.rank; ++i) {
    c.at[i] = static_cast<int>(random.below(static_cast<unsigned>(t.size[i]) + 2)) - 1;
    if (stores && random.below(16) != 0) {
      c.at[i] = std::max(c.at[i], 0);
      t.step[i] = 1;
    }
  }
  if (first == 1) c.at[0] = 0;
  for (unsigned i = 0; im2col && i + 2 < t.rank; ++i) {
    const int size = static_cast<int>(t.size[first + i]);
    t.lower[i] = static_cast<int>(random.below(3)) - (c.does == Does::store_im2col ? 0 : 1);
    t.upper[i] = (c.does == Does::store_im2col ? 0 : 1) - static_cast<int>(random.below(3));
    if (size + t.upper[i] <= t.lower[i]) t.lower[i] = t.upper[i] = 0;
    const int left = size + t.upper[i] - t.lower[i];
    if (random.below(16) != 0)
      c.at[first + i] = t.lower[i] + static_cast<int>(random.below(static_cast<unsigned>(left)));
    c.corner[i] = static_cast<int>(random.below(3));
  }
  // ADD, MIN and MAX exist for all but doubles, and for floats ADD alone.
  if (t.type != 7 && t.type != 8) c.operation = random.below(3);
  c.shared = 1024 * random.below(2);
  return c;
}

// A few of the cases are such that an H200 refuses them: boxes that do not begin at a multiple of
// 16 bytes, stores of elements that do not adjoin.
inline Case case_of(unsigned number) {
  if (number >= kFurther) return further_case(number);
  Random random{0x7e4501u + number * 0x9e3779b97f4a7c15u};
  Case c;
  const unsigned kind = number % 12;
  c.does = kind < 5    ? Does::load
           : kind < 7  ? Does::store
           : kind < 9  ? Does::reduce
           : kind < 10 ? Does::load_im2col
           : kind < 11 ? Does::store_im2col
                       : Does::multicast;
  const bool im2col = c.does == Does::load_im2col || c.does == Does::store_im2col;
  c.tensor = allowed_tensor(random, c.does == Does::reduce, im2col);
  const Tensor& t = c.tensor;
  for (unsigned i = 0; i < t.rank; ++i) {
    const int size = static_cast<int>(t.size[i]);
    const int box = im2col ? 4 : static_cast<int>(t.box[i]);
    c.at[i] = random.below(3) == 0
                  ? 0
                  : static_cast<int>(random.below(static_cast<unsigned>(size + 2 * box))) - box;
    if (im2col && i == 0) c.at[i] = static_cast<int>(random.below(static_cast<unsigned>(size)));
  }
  for (unsigned i = 0; i + 2 < t.rank; ++i) c.corner[i] = static_cast<int>(random.below(4));
  if (im2col) place_pixels(random, c);
  const bool refused = number % 100 == 99 || (number < 9 && number % 2 == 1 && number != 7) ||
                       number == 6 || number == 8;
  const bool stores =
      c.does == Does::store || c.does == Does::reduce || c.does == Does::store_im2col;
  const int unit = static_cast<int>(16 / kTypeBytes[t.type]);
  if (!refused) c.at[0] = c.at[0] / unit * unit;
  if (!refused && stores) c.tensor.step.fill(1);
  for (unsigned i = t.rank; i-- > 1 && t.span() > kSharedBytes / 2;) c.tensor.box[i] = 1;
  if (t.span() > kSharedBytes / 2) c.tensor.swizzle = 0;
  // ADD, MIN, MAX of whole numbers and halves, ADD of floats, logic of words, INC and DEC of u32.
  static constexpr unsigned kInteger[] = {0, 1, 2, 5, 6, 7};
  if (t.type == 2)
    c.operation = random.below(8);
  else if (t.type == 4)
    c.operation = kInteger[random.below(6)];
  else if (t.type == 3 || t.type == 5 || t.type == 6 || t.type == 9)
    c.operation = random.below(3);
  c.shared = 128 * random.below(t.swizzle == 0 ? 16 : 8);
  if (random.below(2) == 0) c.shared = 1024 * random.below(2);
  return c;
}

// The tensor's memory before the case (0), and what is stored or combined with it (1).
inline void fill(unsigned char* memory, unsigned number, unsigned which) {
  Random random{number * 77u + 5u + (std::uint64_t{which} << 32)};
  const Tensor t = case_of(number).tensor;
  for (unsigned at = 0; at < kTensorBytes; at += 8) {
    std::uint64_t word = random.next();
    if (t.type == 7 || t.type >= 10)
      word = instruction_probe::edgy_float(random, 8, 23) << 32 |
             instruction_probe::edgy_float(random, 8, 23);
    if (t.type == 6 || t.type == 9)
      for (int i = 0; i < 4; ++i)
        word = word << 16 |
               instruction_probe::edgy_float(random, t.type == 6 ? 5 : 8, t.type == 6 ? 10 : 7);
    std::memcpy(memory + at, &word, 8);
  }
}

// Descriptions of which some are not allowed.
inline Tensor any_tensor(unsigned number) {
  Random random{0xab12u + number * 0x9e3779b97f4a7c15u};
  Tensor t = allowed_tensor(random, false, number % 4 == 3);
  if (number % 16 == 0) {  // large
    for (unsigned i = 0; i < t.rank; ++i)
      t.size[i] = 1 + (random.next() >> (32 + random.below(30)));
    for (unsigned i = 0; i < 4; ++i) t.stride[i] = random.next() >> (24 + random.below(30)) << 4;
  }
  if (number % 8 == 5) t.interleave = 1 + random.below(2);
  if (number % 2 == 0) return t;
  const unsigned i = random.below(t.rank);
  switch (random.below(14)) {
    case 0:
      t.size[i] = 0;
      break;
    case 1:
      t.size[i] = std::uint64_t{1} << (31 + random.below(3));
      break;
    case 2:
      if (i < 4) t.stride[i] += 1 + random.below(15);
      break;
    case 3:
      if (i < 4) t.stride[i] = std::uint64_t{1} << (39 + random.below(3));
      break;
    case 4:
      t.box[i] = random.below(2) == 0 ? 0 : 255 + random.below(4);
      break;
    case 5:
      t.step[i] = random.below(12);
      break;
    case 6:
      t.offset += 1 + random.below(40);
      break;
    case 7:
      t.swizzle = random.below(9);
      break;
    case 8:
      t.fill = random.below(4);
      break;
    case 9:
      t.promotion = random.below(6);
      break;
    case 10:
      t.type = random.below(18);
      break;
    case 11:
      t.rank = random.below(8);
      break;
    case 12:
      t.channels = random.below(300);
      t.pixels = random.below(1200);
      break;
    default:
      t.lower[i % 3] = static_cast<int>(random.below(300)) - 150;
      t.upper[i % 3] = static_cast<int>(random.below(300)) - 150;
      t.interleave = random.below(5);
      break;
  }
  return t;
}

}  // namespace tensor_probe
