// CUDA arrays: memory that programs reach only through copies, textures and surfaces. Rows lie one
// behind the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/copy.hpp"

namespace heddle::runtime {

struct Array {
  abi::ChannelFormatDesc format{};
  abi::Extent extent{};  // as asked for: a dimension that the array lacks is zero
  unsigned flags = 0;
  std::uint64_t address = 0;

  std::uint64_t element_bytes() const {
    return static_cast<std::uint64_t>(format.x + format.y + format.z + format.w) / 8;
  }
  std::uint64_t width() const { return extent.width; }
  std::uint64_t height() const { return extent.height == 0 ? 1 : extent.height; }
  std::uint64_t depth() const { return extent.depth == 0 ? 1 : extent.depth; }
  std::uint64_t row_bytes() const { return width() * element_bytes(); }
  std::uint64_t layer_bytes() const { return row_bytes() * height(); }
  std::uint64_t bytes() const { return layer_bytes() * depth(); }

  // Where the element at x (in bytes), y, z lies.
  Placed placed(std::uint64_t x_bytes, std::uint64_t y, std::uint64_t z) const {
    return {address + z * layer_bytes() + y * row_bytes() + x_bytes, row_bytes(), layer_bytes()};
  }
  // Whether rows of `box`, from there on, are rows of the array.
  bool holds(std::uint64_t x_bytes, std::uint64_t y, std::uint64_t z, const Box& box) const {
    return x_bytes <= row_bytes() && box.width <= row_bytes() - x_bytes && y <= height() &&
           box.height <= height() - y && z <= depth() && box.depth <= depth() - z;
  }
};

// A mipmapped array: levels that are arrays too, one behind the other in one allocation.
struct MipmappedArray {
  std::vector<std::shared_ptr<Array>> levels;
  std::uint64_t address = 0;
};

// Whether a GPU has such texels: one, two or four channels of 8, 16 or 32 bits.
bool is_texel_format(const abi::ChannelFormatDesc& format);

}  // namespace heddle::runtime
