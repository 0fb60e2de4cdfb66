// Textures and surfaces: what device memory holds of them, and what reading through one gives.
//
// As on a GPU, a table in device memory has a header for each; a handle is its place in the table.
// So a copy of the memory is a copy of the textures too.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

struct TextureHeader {
  // Numbers as the instructions have them (bits 63:61), and linear memory.
  enum class Shape : std::uint8_t {
    line = 0,
    plane = 1,
    volume = 2,
    cube = 3,
    lines = 4,
    planes = 5,
    cubes = 7,
    buffer = 8,  // linear memory, read by index
  };
  enum class Format : std::uint8_t { signed_integer = 0, unsigned_integer = 1, floating = 2 };
  enum class Addressing : std::uint8_t { wrap = 0, clamp = 1, mirror = 2, border = 3 };

  std::uint64_t address = 0;                     // of the first texel; 0: the header is not in use
  std::uint64_t row_bytes = 0, layer_bytes = 0;  // from row to row, from layer to layer
  std::uint64_t width = 0;                       // in texels
  std::uint32_t height = 1, depth = 1;           // depth: layers too, six for each cube
  Shape shape = Shape::line;
  Format format = Format::unsigned_integer;
  std::uint8_t channels = 1, channel_bits = 32;  // 1, 2 or 4; 8, 16 or 32
  std::array<Addressing, 3> addressing{};
  bool linear_filter = false;
  bool normalized_coordinates = false;
  bool normalized_result = false;  // integers as fractions of the largest one
  bool srgb = false;
  bool surface = false;
  bool linear_between_levels = false;
  std::array<float, 4> border{};
  // Of a mipmapped array: all above is that of level 0; the others lie behind it (mip_level).
  std::uint8_t first_level = 0, last_level = 0;  // of those that it takes
  // Added to the level that is asked for, and what it then is at least and at most: in 1/256.
  std::int16_t bias = 0;
  std::uint16_t least = 0, most = 0xffff;
  bool destroyed = false;  // its place may be given again
  std::array<std::uint8_t, 47> reserved{};

  std::uint32_t texel_bytes() const { return channels * channel_bits / 8u; }
};
static_assert(sizeof(TextureHeader) == 128);

// How far apart levels of a mipmapped array begin: what one takes, rounded up to this.
inline constexpr std::uint64_t kLevelAlignment = 512;
// A level of a mipmapped array by itself: half as wide, high and (in volumes) deep as the one
// before.
TextureHeader mip_level(const TextureHeader& header, unsigned level);

// Adds a header to the table of `memory`; its handle, from 1 on. Nothing when there is no room.
std::optional<std::uint32_t> add_texture(DeviceMemory& memory, const TextureHeader& header);
// Launches may use it on until its place is given to another one, as on an H200
// (gpu/runtime/tests/programs/textures.cu). False: there is none.
bool remove_texture(DeviceMemory& memory, std::uint32_t handle);
// The table, or null when there has been no texture.
const Allocation* texture_table(const DeviceMemory& memory);
// The header of a handle; nothing when there is none.
std::optional<TextureHeader> find_texture(const Allocation* table, std::uint32_t handle);

// The memory of a texel, or null where there is none.
using TexelMemory = std::function<const std::byte*(std::uint64_t address, std::uint64_t bytes)>;

struct TexelCoordinates {
  std::array<float, 3> at{};  // x, y, z
  std::uint32_t layer = 0;
  float level = 0;  // of a mipmapped array
};
// The level at which a pixel takes about a texel, from what the coordinates change by along both
// directions of a picture (CUDA programming guide, "Texture Fetching"; not as a GPU rounds it).
float level_of_slopes(const TextureHeader& header, const std::array<float, 3>& along_x,
                      const std::array<float, 3>& along_y);

// The four components as registers hold them: numbers of 32 bits, or integers. Nothing when a texel
// lies outside of all memory.
using TexelBits = std::array<std::uint32_t, 4>;
std::optional<TexelBits> sample_texture(const TextureHeader& header, const TexelCoordinates& where,
                                        const TexelMemory& memory);
// By integer coordinates, without a filter; what lies outside is zero.
std::optional<TexelBits> fetch_texel(const TextureHeader& header,
                                     const std::array<std::int32_t, 3>& at,
                                     const TexelMemory& memory);
// One component of the four texels that a linear filter would take, in the order of tex2Dgather.
std::optional<TexelBits> gather_texels(const TextureHeader& header, const TexelCoordinates& where,
                                       unsigned component, const TexelMemory& memory);

// Where a surface access goes. Zero mode: what lies outside reads as zero and is not written.
enum class SurfaceBoundary : std::uint8_t { zero = 0, clamp = 1, trap = 2 };
struct SurfacePlace {
  bool outside = false;
  std::uint64_t address = 0;
};
// `x` in bytes; `layer` of layered surfaces.
SurfacePlace place_in_surface(const TextureHeader& header, std::int64_t x, std::int64_t y,
                              std::int64_t z, std::uint32_t access_bytes, SurfaceBoundary boundary);
// Whether an access is a fault because its first byte is not at a multiple of its size. It is one
// beyond the edge as well; only .trap looks first whether the first byte lies in the surface
// (docs/experiments/textures.md, "Misaligned coordinates").
bool is_misaligned_in_surface(const TextureHeader& header, std::int64_t x, std::int64_t y,
                              std::int64_t z, std::uint32_t access_bytes, SurfaceBoundary boundary);

}  // namespace heddle::simulator
