#include "simulator/memory/tensor_map.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace heddle::simulator {
namespace {

using Words = std::array<std::uint32_t, kTensorMapBytes / 4>;

struct Field {
  unsigned word, lo, width;
  void put(Words& words, std::uint64_t value) const {
    const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
    words[word] |= (static_cast<std::uint32_t>(value) & mask) << lo;
  }
  std::uint32_t get(const Words& words) const {
    return words[word] >> lo & (width == 32 ? ~0u : (1u << width) - 1);
  }
  int get_signed(const Words& words) const {
    const unsigned above = 32 - width;
    return static_cast<int>(get(words) << above) >> above;
  }
};

constexpr Field kIm2col{2, 0, 1}, kRank{2, 4, 3}, kElement{2, 7, 4}, kInterleave{2, 11, 2},
    kSwizzle{2, 13, 2}, kFill{2, 15, 1}, kTf32{2, 16, 1}, kPromotion{2, 17, 2};
constexpr Field stride_field(unsigned i) { return {3 + i, 0, 32}; }
// The upper four bits of strides.
constexpr Field stride_high(unsigned i) { return {7, 4 * i, 4}; }
constexpr Field size_field(unsigned i) { return {8 + i, 0, 32}; }
constexpr Field step_field(unsigned i) { return {13, 3 * i, 3}; }
constexpr Field box_field(unsigned i) {
  return i == 0 ? Field{13, 24, 8} : Field{14, 8 * (i - 1), 8};
}
constexpr Field kChannels{13, 24, 8}, kPixels{15, 0, 10}, kBoxBytes{16, 0, 32}, kPattern{18, 0, 32};
// Corners have the more bits the fewer there are.
constexpr Field corner_field(unsigned rank, unsigned i, bool upper) {
  const unsigned width = rank == 3 ? 16 : rank == 4 ? 8 : 5;
  return {14, (upper ? 16 : 0) + width * i, width};
}

struct TypeFacts {
  unsigned bytes, code;
  bool tf32, is_float;
};
constexpr std::array<TypeFacts, static_cast<std::size_t>(TensorType::count_)> kTypes{{
    {1, 0, false, false},  // u8
    {2, 1, false, false},
    {4, 2, false, false},
    {4, 3, false, false},
    {8, 4, false, false},
    {8, 5, false, false},
    {2, 6, false, true},  // f16
    {4, 7, false, true},
    {8, 9, false, true},
    {2, 10, false, true},
    {4, 8, false, true},
    {4, 7, true, true},
    {4, 8, true, true},
}};
const TypeFacts& facts_of(TensorType type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr std::uint64_t kMostSize = std::uint64_t{1} << 32, kMostStride = std::uint64_t{1} << 40;
// No box is larger than an SM's shared memory, and addresses have 57 bits
// (gpu/runtime/tests/answers/tensor_maps.cu).
constexpr std::uint64_t kMostBoxBytes = 228 << 10, kMostAddress = std::uint64_t{1} << 57;

bool in_range(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return value >= least && value <= most;
}

bool is_address(std::uint64_t address, std::uint32_t interleave) {
  return address % slice_bytes(interleave) == 0 && address < kMostAddress;
}

// What holds of every map.
bool is_allowed(const TensorMap& map) {
  if (map.type >= TensorType::count_ || map.interleave > 2 || map.swizzle > 3 ||
      map.promotion > 3 || map.fill > 1 || !in_range(map.rank, 1, kMostDimensions))
    return false;
  if (map.fill != 0 && !is_float(map.type)) return false;
  if (map.interleave != 0 && map.rank < 3) return false;
  if (!is_address(map.address, map.interleave)) return false;
  for (unsigned i = 0; i < map.rank; ++i) {
    if (!in_range(map.size[i], 1, kMostSize) || !in_range(map.step[i], 1, 8)) return false;
    if (i != 0 &&
        (map.stride[i - 1] % slice_bytes(map.interleave) != 0 || map.stride[i - 1] >= kMostStride))
      return false;
  }
  return true;
}

// A row of a box, of `bytes`, is whole units and no longer than the swizzle's pattern. The latter
// does not hold of interleaved tensors.
bool fits_pattern(const TensorMap& map, std::uint64_t bytes) {
  const bool fits = map.interleave != 0 || map.swizzle == 0 || bytes <= (16u << map.swizzle);
  return bytes % 16 == 0 && fits;
}

// Bytes of a box as the map has them; each dimension's elements over its step, rounded down.
std::uint64_t noted_bytes(const TensorMap& map) {
  std::uint64_t bytes = bytes_of(map.type);
  if (map.is_im2col) return bytes * map.channels * map.pixels;
  for (unsigned i = 0; i < map.rank; ++i) bytes *= map.box[i] / map.step[i];
  return bytes;
}

bool is_tile_allowed(const TensorMap& map) {
  for (unsigned i = 0; i < map.rank; ++i)
    if (!in_range(map.box[i], 1, 256)) return false;
  return noted_bytes(map) <= kMostBoxBytes &&
         fits_pattern(map, std::uint64_t{map.box[0]} * bytes_of(map.type));
}

bool is_im2col_allowed(const TensorMap& map) {
  if (map.rank < 3 || !in_range(map.channels, 1, 256) || !in_range(map.pixels, 1, 1024))
    return false;
  const int reach = map.rank == 3 ? 1 << 15 : map.rank == 4 ? 1 << 7 : 1 << 4;
  for (unsigned i = 0; i + 2 < map.rank; ++i)
    for (const int corner : {map.lower[i], map.upper[i]})
      if (corner < -reach || corner >= reach) return false;
  // Pixels must be left between the corners; the driver counts them in 32 bits, and with an
  // interleaved layout along the dimension before.
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    const auto size = static_cast<std::uint32_t>(map.size[map.interleave == 0 ? i + 1 : i]);
    if (static_cast<std::int32_t>(size + static_cast<std::uint32_t>(map.upper[i])) <= map.lower[i])
      return false;
  }
  return noted_bytes(map) <= kMostBoxBytes &&
         fits_pattern(map, std::uint64_t{map.channels} * bytes_of(map.type));
}

void put_box(const TensorMap& map, Words& words) {
  if (!map.is_im2col) {
    for (unsigned i = 0; i < map.rank; ++i) box_field(i).put(words, map.box[i] - 1);
    return;
  }
  kIm2col.put(words, 1);
  kChannels.put(words, map.channels - 1);
  kPixels.put(words, map.pixels - 1);
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    corner_field(map.rank, i, false).put(words, static_cast<std::uint32_t>(map.lower[i]));
    corner_field(map.rank, i, true).put(words, static_cast<std::uint32_t>(map.upper[i]));
  }
}

}  // namespace

unsigned bytes_of(TensorType type) { return facts_of(type).bytes; }
unsigned slice_bytes(unsigned interleave) { return interleave == 2 ? 32 : 16; }
bool is_float(TensorType type) { return facts_of(type).is_float; }

std::optional<TensorMapBytes> encode(const TensorMap& map) {
  if (!is_allowed(map)) return std::nullopt;
  if (!(map.is_im2col ? is_im2col_allowed(map) : is_tile_allowed(map))) return std::nullopt;
  Words words{};
  words[0] = static_cast<std::uint32_t>(map.address);
  words[1] = static_cast<std::uint32_t>(map.address >> 32);
  kRank.put(words, map.rank - 1);
  kElement.put(words, facts_of(map.type).code);
  kTf32.put(words, facts_of(map.type).tf32 ? 1 : 0);
  kInterleave.put(words, map.interleave);
  kSwizzle.put(words, map.swizzle);
  kFill.put(words, map.fill);
  kPromotion.put(words, map.promotion);
  for (unsigned i = 0; i < map.rank; ++i) {
    size_field(i).put(words, map.size[i] - 1);
    step_field(i).put(words, map.step[i] - 1);
    if (i == 0) continue;
    stride_field(i - 1).put(words, map.stride[i - 1] >> 4);
    stride_high(i - 1).put(words, map.stride[i - 1] >> 36);
  }
  put_box(map, words);
  kBoxBytes.put(words, noted_bytes(map));
  kPattern.put(words, map.swizzle == 0 ? 0x10 : 0x80u << map.swizzle);
  TensorMapBytes bytes;
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

bool replace_address(std::byte* map, std::uint64_t address) {
  Words words;
  std::memcpy(words.data(), map, kTensorMapBytes);
  if (address == 0 || !is_address(address, kInterleave.get(words))) return false;
  std::memcpy(map, &address, sizeof address);
  return true;
}

std::optional<TensorMap> decode_tensor_map(const std::byte* bytes) {
  Words words;
  std::memcpy(words.data(), bytes, kTensorMapBytes);
  TensorMap map;
  map.address = words[0] | std::uint64_t{words[1]} << 32;
  map.is_im2col = kIm2col.get(words) != 0;
  map.rank = kRank.get(words) + 1;
  map.interleave = kInterleave.get(words);
  const bool has_slices_or_pixels = map.is_im2col || map.interleave != 0;
  if (map.rank > kMostDimensions || (has_slices_or_pixels && map.rank < 3) || map.interleave > 2)
    return std::nullopt;
  const auto type = std::ranges::find_if(kTypes, [&](const TypeFacts& each) {
    return each.code == kElement.get(words) && each.tf32 == (kTf32.get(words) != 0);
  });
  if (type == kTypes.end()) return std::nullopt;
  map.type = static_cast<TensorType>(type - kTypes.begin());
  map.swizzle = kSwizzle.get(words);
  map.fill = kFill.get(words);
  map.promotion = kPromotion.get(words);
  for (unsigned i = 0; i < map.rank; ++i) {
    map.size[i] = std::uint64_t{size_field(i).get(words)} + 1;
    map.step[i] = step_field(i).get(words) + 1;
    map.box[i] = box_field(i).get(words) + 1;
    if (i != 0)
      map.stride[i - 1] = (std::uint64_t{stride_field(i - 1).get(words)} |
                           std::uint64_t{stride_high(i - 1).get(words)} << 32)
                          << 4;
  }
  if (!map.is_im2col) return map;
  map.channels = kChannels.get(words) + 1;
  map.pixels = kPixels.get(words) + 1;
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    map.lower[i] = corner_field(map.rank, i, false).get_signed(words);
    map.upper[i] = corner_field(map.rank, i, true).get_signed(words);
  }
  return map;
}

}  // namespace heddle::simulator
