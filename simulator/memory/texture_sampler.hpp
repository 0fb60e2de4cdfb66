// A texture sampled by all lanes of a warp at once. It gives what sample_texture and fetch_texel
// give, bit for bit, of the textures that most programs have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/base/mask.hpp"
#include "simulator/base/types.hpp"
#include "simulator/lanes/texels.hpp"
#include "simulator/memory/texture.hpp"

namespace heddle::simulator {

// The four components of each lane, as TexelBits.
using TexelRows = std::array<std::array<std::uint32_t, kWarpSize>, 4>;

// The texels that were read for the lanes: in each tap one of a lane at the most, and none where
// the tap has no weight or lies outside.
struct TexelReads {
  struct Tap {
    Mask lanes;
    std::array<std::uint32_t, kWarpSize> offset;  // bytes from the texture's first texel
  };
  std::array<Tap, 8> taps;
  unsigned count = 0;
};

class TextureSampler {
 public:
  // Bytes of a texture from its first texel's to its last one's.
  static std::uint64_t bytes(const TextureHeader& header);
  // Whether a texture is one of those: neither cubes nor levels, not in 4 GiB or more.
  static bool can_sample(const TextureHeader& header);

  // `first`: all bytes of a texture that it can sample. Both must outlive it.
  TextureSampler(const TextureHeader& header, const std::byte* first)
      : header_(header),
        first_(first),
        strides_{header.texel_bytes(), static_cast<std::uint32_t>(header.row_bytes),
                 static_cast<std::uint32_t>(header.layer_bytes)} {}

  // What a register of each lane holds, as a float or a whole number.
  using Row = const std::uint32_t*;
  // Rows of x, y and z as far as the shape has them, and of layers where it has those. `reads`: who
  // wants to know; null: nobody does.
  void sample(const std::array<Row, 3>& at, Row layer, TexelRows& result, TexelReads* reads) const;
  // The texture is a line, linear memory, a plane or a volume.
  void fetch(const std::array<Row, 3>& at, TexelRows& result, TexelReads* reads) const;

 private:
  using Indices = std::int32_t[kWarpSize];

  // Of each direction; those that differ between lanes are in `made`.
  struct Located {
    std::array<const lanes::TexelTaps*, 3> taps;
    std::array<lanes::TexelTaps, 3> made;
  };

  void locate(const std::array<Row, 3>& at, Row layer, bool linear, Located& located) const;
  void read(unsigned channel, const lanes::TexelPlaces& places, std::uint32_t* result) const;
  void read_inputs(unsigned channel, const lanes::TexelPlaces& places, float* inputs) const;
  void round(const double* sum, std::uint32_t* result) const;

  const TextureHeader& header_;
  const std::byte* first_;
  lanes::TexelStrides strides_;
};

}  // namespace heddle::simulator
