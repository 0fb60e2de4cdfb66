// Tensor maps (CUtensorMap): how a tensor lies in memory and what a box of it is, 128 bytes that
// cuTensorMapEncodeTiled and its relatives make, and that copies of tensors read.
//
// Their bits are those of an H200's driver (580.159.04; 4,096 descriptions of which it refused
// 1,463, docs/experiments/tensor-probe.md): programs change maps in memory (PTX tensormap.replace).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace heddle::simulator {

inline constexpr unsigned kTensorMapBytes = 128, kMostDimensions = 5;

// By CUtensorMapDataType.
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  count_
};
unsigned bytes_of(TensorType type);
bool is_float(TensorType type);

// Numbers are those of cuda.h. Dimension 0 is the innermost, whose elements adjoin.
struct TensorMap {
  TensorType type{};
  unsigned rank = 1;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMostDimensions> size{};        // elements
  std::array<std::uint64_t, kMostDimensions - 1> stride{};  // bytes, from dimension 1 on
  std::array<std::uint32_t, kMostDimensions> box{};         // elements, before `step`
  std::array<std::uint32_t, kMostDimensions> step{};        // every how many elements are taken
  unsigned interleave = 0;                                  // 0 none, 1 16 bytes, 2 32 bytes
  unsigned swizzle = 0;                                     // 0 none, 1 32, 2 64, 3 128 bytes
  unsigned promotion = 0;                                   // into L2, bytes
  unsigned fill = 0;                                        // 1: what lies outside is a NaN
  // Im2col: a box is `pixels` of the tensor's pixels, `channels` of each.
  bool is_im2col = false;
  std::array<int, 3> lower{}, upper{};  // corners of the box that pixels come from
  std::uint32_t channels = 0, pixels = 0;
};

// Bytes that addresses and strides are multiples of. In an interleaved tensor channels lie in
// slices of this size, one for each element of dimension 0; the last dimension but one counts
// slices.
unsigned slice_bytes(unsigned interleave);

using TensorMapBytes = std::array<std::byte, kTensorMapBytes>;

// Nothing where the driver refuses the description.
std::optional<TensorMapBytes> encode(const TensorMap& map);

// Puts the address of another tensor into a map, which is not looked at beyond its layout. False:
// it is 0, too large, or not aligned as the layout wants it.
bool replace_address(std::byte* map, std::uint64_t address);
// What the bytes say; where they cannot be a map, nothing.
std::optional<TensorMap> decode_tensor_map(const std::byte* bytes);

}  // namespace heddle::simulator
