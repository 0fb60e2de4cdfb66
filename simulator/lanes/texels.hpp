// What filters of textures compute of all lanes at once, in the widest vector unit there is:
// coordinates to texels, and texels to numbers (simulator/memory/texture.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/base/types.hpp"

namespace heddle::simulator::lanes {

inline constexpr std::int32_t kNoTexel = -1;  // outside of a texture with a border

// One direction of a texture.
struct TexelAxis {
  // As TextureHeader::Addressing.
  enum class Mode : std::uint8_t { wrap = 0, clamp = 1, mirror = 2, border = 3 };
  std::int32_t texels = 1;  // at most 2^27
  Mode mode = Mode::clamp;
  bool normalized = false;  // where they repeat, they are
  bool linear = false;
};

// The two texels along a direction that a linear filter takes, and the weight of the second in
// 1/256. A point filter takes the first.
struct TexelTaps {
  std::int32_t index[2][kWarpSize];
  std::int32_t weight[kWarpSize];
};

// Where texels lie: their bytes from the first one's. Texels outside: of the first one.
struct TexelPlaces {
  std::uint32_t offset[kWarpSize];
  std::uint32_t outside[kWarpSize];  // all ones or zero
};
struct TexelStrides {
  std::uint32_t x, y, z;  // bytes
};

// Arrays have an element for each lane.
struct TexelFunctions {
  // `coordinates`: floats, as registers hold them.
  void (*taps)(const TexelAxis& axis, const std::uint32_t* coordinates, TexelTaps& taps);
  void (*places)(const TexelStrides& strides, const std::int32_t* x, const std::int32_t* y,
                 const std::int32_t* z, TexelPlaces& places);
  // Words of texels, the first one's being at `first`; `border` where a place is outside. `result`:
  // a word of each lane.
  void (*read)(const std::byte* first, const TexelPlaces& places, std::uint32_t border,
               void* result);
  // The weights of the eight texels of a volume, in 1/256; of a plane, the first four.
  void (*weights)(const std::int32_t* x, const std::int32_t* y, const std::int32_t* z,
                  std::int32_t (*weights)[kWarpSize]);
  // sum[i] += input[i] * weight[i] / 256; nothing where the weight is zero.
  void (*add)(const float* input, const std::int32_t* weight, double* sum);
  // To the nearest float; what lies between two goes away from zero. Its bits.
  void (*nearest_away)(const double* sum, std::uint32_t* result);
  // To the nearest whole number, upwards where it lies between, divided by `most`, but not below
  // -1. Sums are below 2^31. Their bits.
  void (*fractions)(const double* sum, float most, std::uint32_t* result);
};

// Of the widest vector unit of this processor.
const TexelFunctions& texel_functions();

}  // namespace heddle::simulator::lanes
