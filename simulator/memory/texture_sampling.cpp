// Coordinates to texels and texels to results (CUDA programming guide, "Texture Fetching"; what it
// leaves open is as measured, docs/experiments/textures.md).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "simulator/memory/texel_formats.hpp"
#include "simulator/memory/texture.hpp"

namespace heddle::simulator {
namespace {

using Addressing = TextureHeader::Addressing;
using Format = TextureHeader::Format;
using Shape = TextureHeader::Shape;

constexpr std::int64_t kOutside = -1;
constexpr int kFractionBits = 8;
constexpr std::int64_t kOne = 1 << kFractionBits;

constexpr float kMostTexels = 1 << 27;

std::int64_t whole_texels(float texels) {
  if (std::isnan(texels)) return 0;
  return static_cast<std::int64_t>(std::floor(std::clamp(texels, -kMostTexels, kMostTexels)));
}

// A coordinate in units of 1/256 of a texel, to the nearest.
std::int64_t fixed_point(float texels) {
  if (std::isnan(texels)) return 0;
  return static_cast<std::int64_t>(
      std::floor(double{std::clamp(texels, -kMostTexels, kMostTexels)} * kOne + 0.5));
}

// The coordinate in texels, brought into the one period, of size or twice that, in which texels
// repeat.
float texels_of(const TextureHeader& header, float coordinate, Addressing mode, float size) {
  if (!header.normalized_coordinates) return coordinate;
  const bool repeats = mode == Addressing::wrap || mode == Addressing::mirror;
  if (std::isnan(coordinate) || (repeats && std::isinf(coordinate))) return 0;
  constexpr float kLast = 0x1.fffffep-1f;  // the subtraction may round up to 1
  if (mode == Addressing::wrap) coordinate = std::min(coordinate - std::floor(coordinate), kLast);
  if (mode == Addressing::mirror)
    coordinate = std::min(coordinate - 2 * std::floor(coordinate / 2), 2 * kLast);
  return coordinate * size;
}

// The texel that stands for number `index` of `size`.
std::int64_t texel_number(std::int64_t index, Addressing mode, std::int64_t size) {
  if (index >= 0 && index < size) return index;
  if (mode == Addressing::border) return kOutside;
  if (mode == Addressing::wrap) return (index % size + size) % size;
  if (mode == Addressing::mirror) {
    const std::int64_t in_period = (index % (2 * size) + 2 * size) % (2 * size);
    return std::min(in_period, 2 * size - 1 - in_period);
  }
  return std::clamp<std::int64_t>(index, 0, size - 1);
}

// The two texels along one direction that a linear filter takes, and the weight of the second. A
// point filter takes the first.
struct Taps {
  std::array<std::int64_t, 2> index;
  std::int64_t weight;
};

Taps taps(const TextureHeader& header, float coordinate, unsigned direction, std::int64_t size,
          bool linear) {
  const Addressing mode = header.addressing[direction];
  const float texels = texels_of(header, coordinate, mode, static_cast<float>(size));
  const std::int64_t at =
      linear ? fixed_point(texels) - kOne / 2 : whole_texels(texels) << kFractionBits;
  const std::int64_t first = at >> kFractionBits;
  return {{texel_number(first, mode, size), texel_number(first + 1, mode, size)}, at & (kOne - 1)};
}

const std::byte* texel_at(const TextureHeader& header, std::int64_t x, std::int64_t y,
                          std::int64_t z, const TexelMemory& memory) {
  return memory(header.address + static_cast<std::uint64_t>(z) * header.layer_bytes +
                    static_cast<std::uint64_t>(y) * header.row_bytes +
                    static_cast<std::uint64_t>(x) * header.texel_bytes(),
                header.texel_bytes());
}

// A texel, or the border; as numbers or integers. Channels that the texture lacks are zero.
std::optional<TexelBits> read_texel(const TextureHeader& header, std::int64_t x, std::int64_t y,
                                    std::int64_t z, const TexelMemory& memory) {
  TexelBits result{};
  if (x == kOutside || y == kOutside || z == kOutside) {
    for (unsigned i = 0; i < header.channels; ++i) result[i] = border_bits(header, i);
    return result;
  }
  const std::byte* texel = texel_at(header, x, y, z, memory);
  if (texel == nullptr) return std::nullopt;
  for (unsigned i = 0; i < header.channels; ++i) result[i] = channel_bits(header, texel, i);
  return result;
}

// Face of a cube map and coordinates in it, in texels (CUDA programming guide, "Cubemap Textures").
struct FacePlace {
  std::int64_t face;
  float x, y;
};

FacePlace face_of(const std::array<float, 3>& at, float size) {
  const auto [x, y, z] = at;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto place = [size](std::int64_t face, float s, float t, float m) {
    return FacePlace{face, (s / m + 1) / 2 * size, (t / m + 1) / 2 * size};
  };
  if (ax >= ay && ax >= az) return x >= 0 ? place(0, -z, -y, ax) : place(1, z, -y, ax);
  if (ay >= az) return y >= 0 ? place(2, x, z, ay) : place(3, x, -z, ay);
  return z >= 0 ? place(4, x, -y, az) : place(5, -x, -y, az);
}

// The weights of the eight texels, in 1/256: products are rounded to that, so that pairs of texels
// share what the direction before gave them.
std::array<std::int64_t, 8> filter_weights(std::int64_t x, std::int64_t y, std::int64_t z) {
  const auto product = [](std::int64_t a, std::int64_t b) {
    return (a * b + kOne / 2) >> kFractionBits;
  };
  const std::int64_t xy = product(x, y), xz = product(x, z), yz = product(y, z);
  const std::int64_t xyz = product(xz, y);
  return {kOne - x - y - z + xy + xz + yz - xyz,
          x - xy - xz + xyz,
          y - xy - yz + xyz,
          xy - xyz,
          z - xz - yz + xyz,
          xz - xyz,
          yz - xyz,
          xyz};
}

// The same of a texture that is one of two levels, and has `share` of the result: divided along x,
// then y, then z, each time to the nearest; what lies between goes to the upper half of upper
// parts. Not all answers of an H200 follow it (docs/experiments/textures.md).
std::array<std::int64_t, 8> shared_weights(const std::array<std::int64_t, 3>& fractions,
                                           std::int64_t share) {
  std::array<std::int64_t, 8> weights{share};
  for (unsigned direction = 0; direction < 3; ++direction)
    for (unsigned tap = 0; tap < 1u << direction; ++tap) {
      const std::int64_t half = direction == 0 || tap != 0 ? kOne / 2 : kOne / 2 - 1;
      const std::int64_t upper = (weights[tap] * fractions[direction] + half) >> kFractionBits;
      weights[tap | 1u << direction] = upper;
      weights[tap] -= upper;
    }
  return weights;
}

// What a filter adds up: numbers as they are, integers in units of the largest one of 16 bits.
std::optional<std::array<double, 4>> filter_inputs(const TextureHeader& header, std::int64_t x,
                                                   std::int64_t y, std::int64_t z,
                                                   const TexelMemory& memory) {
  std::array<double, 4> inputs{};
  const bool outside = x == kOutside || y == kOutside || z == kOutside;
  const std::byte* texel = outside ? nullptr : texel_at(header, x, y, z, memory);
  if (!outside && texel == nullptr) return std::nullopt;
  for (unsigned i = 0; i < header.channels; ++i) {
    inputs[i] = outside ? border_input(header, i) : filter_input(header, texel, i);
  }
  return inputs;
}

struct Position {
  Taps x, y, z;
  std::int64_t layer = 0;
};

Position locate(const TextureHeader& header, const TexelCoordinates& where, bool linear) {
  Position position{{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}, 0};
  const auto width = static_cast<std::int64_t>(header.width);
  const auto& at = where.at;
  if (header.shape == Shape::cube || header.shape == Shape::cubes) {
    const FacePlace place = face_of(at, static_cast<float>(width));
    TextureHeader in_texels = header;
    in_texels.normalized_coordinates = false;
    in_texels.addressing.fill(Addressing::clamp);
    position.x = taps(in_texels, place.x, 0, width, linear);
    position.y = taps(in_texels, place.y, 1, header.height, linear);
    const std::int64_t last = header.depth / 6 - 1;
    const std::int64_t cube = header.shape == Shape::cubes ? where.layer : 0;
    position.layer =
        std::clamp<std::int64_t>(cube, 0, std::max<std::int64_t>(last, 0)) * 6 + place.face;
    return position;
  }
  position.x = taps(header, at[0], 0, width, linear);
  if (header.shape != Shape::line && header.shape != Shape::lines)
    position.y = taps(header, at[1], 1, header.height, linear);
  if (header.shape == Shape::volume) position.z = taps(header, at[2], 2, header.depth, linear);
  if (header.shape == Shape::lines || header.shape == Shape::planes)
    position.layer = std::min<std::int64_t>(where.layer, std::int64_t{header.depth} - 1);
  return position;
}

// The numbers that a filter gives before they are rounded, times `share` of 256; a point filter
// takes one texel.
std::optional<std::array<double, 4>> filtered_sum(const TextureHeader& header,
                                                  const TexelCoordinates& where, bool linear,
                                                  std::int64_t share, const TexelMemory& memory) {
  const Position at = locate(header, where, linear);
  const bool volume = header.shape == Shape::volume;
  const auto slice = [&](unsigned k) { return volume ? at.z.index[k] : at.layer; };
  const std::array<std::int64_t, 8> weights =
      !linear         ? std::array<std::int64_t, 8>{share}
      : share == kOne ? filter_weights(at.x.weight, at.y.weight, at.z.weight)
                      : shared_weights({at.x.weight, at.y.weight, at.z.weight}, share);
  std::array<double, 4> sum{};
  for (unsigned tap = 0; tap < 8; ++tap) {
    if (weights[tap] == 0) continue;
    const auto inputs = filter_inputs(header, at.x.index[tap & 1], at.y.index[tap >> 1 & 1],
                                      slice(tap >> 2 & 1), memory);
    if (!inputs) return std::nullopt;
    for (unsigned i = 0; i < 4; ++i)
      sum[i] += (*inputs)[i] * static_cast<double>(weights[tap]) / static_cast<double>(kOne);
  }
  return sum;
}

TexelBits rounded(const TextureHeader& header, const std::array<double, 4>& sum) {
  TexelBits result;
  for (unsigned i = 0; i < 4; ++i)
    result[i] = std::bit_cast<std::uint32_t>(filtered_number(header, sum[i]));
  return result;
}

// In 1/256 of a level; what is less is cut off, as an H200 does it (docs/experiments/textures.md).
std::int64_t level_number(const TextureHeader& header, float level) {
  constexpr float kMost = 64;
  const float asked = std::isnan(level) ? 0 : std::clamp(level, -kMost, kMost);
  const auto in_parts = static_cast<std::int64_t>(std::floor(asked * static_cast<float>(kOne)));
  const std::int64_t last = std::int64_t{header.last_level - header.first_level} * kOne;
  const std::int64_t most = std::min<std::int64_t>(header.most, last);
  const std::int64_t clamped =
      std::max<std::int64_t>(std::min(in_parts + header.bias, most), header.least);
  return std::min(clamped, last);
}

std::optional<TexelBits> sample_level(const TextureHeader& header, const TexelCoordinates& where,
                                      const TexelMemory& memory) {
  const bool linear = header.linear_filter && gives_numbers(header);
  if (!linear) {
    const Position at = locate(header, where, false);
    return read_texel(header, at.x.index[0], at.y.index[0],
                      header.shape == Shape::volume ? at.z.index[0] : at.layer, memory);
  }
  const auto sum = filtered_sum(header, where, true, kOne, memory);
  if (!sum) return std::nullopt;
  return rounded(header, *sum);
}

}  // namespace

TextureHeader mip_level(const TextureHeader& header, unsigned level) {
  TextureHeader found = header;
  found.first_level = found.last_level = 0;
  const bool volume = header.shape == Shape::volume;
  for (unsigned i = 0; i < level; ++i) {
    const std::uint64_t bytes = found.layer_bytes * found.depth;
    found.address += (bytes + kLevelAlignment - 1) / kLevelAlignment * kLevelAlignment;
    found.width = std::max<std::uint64_t>(found.width / 2, 1);
    found.height = std::max<std::uint32_t>(found.height / 2, 1);
    if (volume) found.depth = std::max<std::uint32_t>(found.depth / 2, 1);
    found.row_bytes = found.width * found.texel_bytes();
    found.layer_bytes = found.row_bytes * found.height;
  }
  return found;
}

float level_of_slopes(const TextureHeader& header, const std::array<float, 3>& along_x,
                      const std::array<float, 3>& along_y) {
  const std::array<float, 3> size{static_cast<float>(header.width),
                                  static_cast<float>(header.height),
                                  static_cast<float>(header.depth)};
  const auto texels = [&](const std::array<float, 3>& slope) {
    return std::hypot(slope[0] * size[0], slope[1] * size[1], slope[2] * size[2]);
  };
  return std::log2(std::max(texels(along_x), texels(along_y)));
}

std::optional<TexelBits> sample_texture(const TextureHeader& header, const TexelCoordinates& where,
                                        const TexelMemory& memory) {
  if (header.width == 0 || header.height == 0 || header.depth == 0) return std::nullopt;
  if (header.last_level == 0) return sample_level(header, where, memory);
  const std::int64_t at = level_number(header, where.level);
  if (!header.linear_between_levels || !gives_numbers(header))
    return sample_level(
        mip_level(header, header.first_level + static_cast<unsigned>((at + kOne / 2) / kOne)),
        where, memory);
  const unsigned first = header.first_level + static_cast<unsigned>(at / kOne);
  const std::int64_t weight = at % kOne;
  if (weight == 0) return sample_level(mip_level(header, first), where, memory);
  std::array<double, 4> sum{};
  for (const auto& [level, share] :
       {std::pair(first, kOne - weight), std::pair(first + 1, weight)}) {
    const auto part =
        filtered_sum(mip_level(header, level), where, header.linear_filter, share, memory);
    if (!part) return std::nullopt;
    for (unsigned i = 0; i < 4; ++i) sum[i] += (*part)[i];
  }
  return rounded(header, sum);
}

std::optional<TexelBits> fetch_texel(const TextureHeader& header,
                                     const std::array<std::int32_t, 3>& at,
                                     const TexelMemory& memory) {
  const auto inside = [](std::int64_t index, std::uint64_t size) {
    return index >= 0 && static_cast<std::uint64_t>(index) < size;
  };
  const bool line = header.shape == Shape::line || header.shape == Shape::buffer;
  if (!inside(at[0], header.width) || (!line && !inside(at[1], header.height)) ||
      (header.shape == Shape::volume && !inside(at[2], header.depth)))
    return TexelBits{};
  return read_texel(header, at[0], line ? 0 : at[1], header.shape == Shape::volume ? at[2] : 0,
                    memory);
}

std::optional<TexelBits> gather_texels(const TextureHeader& header, const TexelCoordinates& where,
                                       unsigned component, const TexelMemory& memory) {
  if (header.width == 0 || header.height == 0) return std::nullopt;
  const Position at = locate(header, where, true);
  constexpr std::array<std::array<unsigned, 2>, 4> kOrder{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  TexelBits result;
  for (unsigned i = 0; i < 4; ++i) {
    const auto texel =
        read_texel(header, at.x.index[kOrder[i][0]], at.y.index[kOrder[i][1]], at.layer, memory);
    if (!texel) return std::nullopt;
    result[i] = (*texel)[component];
  }
  return result;
}

bool is_misaligned_in_surface(const TextureHeader& header, std::int64_t x, std::int64_t y,
                              std::int64_t z, std::uint32_t access_bytes,
                              SurfaceBoundary boundary) {
  if (x % std::int64_t{access_bytes} == 0) return false;
  return boundary != SurfaceBoundary::trap ||
         !place_in_surface(header, x, y, z, 1, SurfaceBoundary::trap).outside;
}

SurfacePlace place_in_surface(const TextureHeader& header, std::int64_t x, std::int64_t y,
                              std::int64_t z, std::uint32_t access_bytes,
                              SurfaceBoundary boundary) {
  const auto last_x =
      static_cast<std::int64_t>(header.width * header.texel_bytes()) - std::int64_t{access_bytes};
  const std::int64_t last_y = std::int64_t{header.height} - 1,
                     last_z = std::int64_t{header.depth} - 1;
  const auto beyond = [](std::int64_t at, std::int64_t last) { return at < 0 || at > last; };
  const bool outside = beyond(x, last_x) || beyond(y, last_y) || beyond(z, last_z);
  if (outside && (boundary != SurfaceBoundary::clamp || last_x < 0)) return {true, 0};
  x = std::clamp<std::int64_t>(x, 0, last_x);
  y = std::clamp<std::int64_t>(y, 0, last_y);
  z = std::clamp<std::int64_t>(z, 0, last_z);
  return {false, header.address + static_cast<std::uint64_t>(z) * header.layer_bytes +
                     static_cast<std::uint64_t>(y) * header.row_bytes +
                     static_cast<std::uint64_t>(x)};
}

}  // namespace heddle::simulator
