#include "simulator/memory/texture_sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "simulator/lanes/scattered.hpp"
#include "simulator/memory/texel_formats.hpp"

namespace heddle::simulator {
namespace {

using Addressing = TextureHeader::Addressing;
using Format = TextureHeader::Format;
using Shape = TextureHeader::Shape;
using lanes::TexelAxis;
using lanes::TexelPlaces;
using lanes::TexelTaps;

constexpr std::uint64_t kMostTexels = 1 << 27;  // of a direction (lanes::TexelAxis)

bool is_line(const TextureHeader& header) {
  return header.shape == Shape::line || header.shape == Shape::lines;
}

// Whether numbers outside of the first period have their texels: those that can be asked for.
bool has_periods(const TextureHeader& header) {
  return header.normalized_coordinates ||
         std::ranges::none_of(header.addressing, [](Addressing mode) {
           return mode == Addressing::wrap || mode == Addressing::mirror;
         });
}

bool is_known_format(const TextureHeader& header) {
  if (header.format == Format::floating) return header.channel_bits >= 16;
  return header.channel_bits < 32 || !header.normalized_result;
}

// What channels of 8 bits become, by their bits: calculated as for any format, once.
template <typename Value>
using ByByte = std::array<Value, 256>;

template <typename Value, typename Convert>
ByByte<Value> by_byte(const TextureHeader& header, Convert convert) {
  ByByte<Value> values{};
  for (unsigned i = 0; i < values.size(); ++i) {
    const auto texel = static_cast<std::byte>(i);
    values[i] = static_cast<Value>(convert(header, &texel, 0u));
  }
  return values;
}

// Of formats with and without a sign, of sRGB and not.
template <typename Value, typename Convert>
const ByByte<Value>& by_byte_of(const TextureHeader& header, unsigned channel, Convert convert) {
  static const std::array<ByByte<Value>, 4> all = [&] {
    std::array<ByByte<Value>, 4> made;
    TextureHeader of;
    of.channel_bits = 8;
    of.normalized_result = true;
    for (unsigned i = 0; i < made.size(); ++i) {
      of.format = i < 2 ? Format::unsigned_integer : Format::signed_integer;
      of.srgb = i % 2 != 0;
      made[i] = by_byte<Value>(of, convert);
    }
    return made;
  }();
  const bool srgb = header.srgb && channel < 3;
  return all[(header.format == Format::signed_integer ? 2u : 0u) + (srgb ? 1u : 0u)];
}

TexelAxis axis_of(const TextureHeader& header, unsigned direction, std::uint64_t texels,
                  bool linear) {
  return {static_cast<std::int32_t>(texels),
          static_cast<TexelAxis::Mode>(header.addressing[direction]), header.normalized_coordinates,
          linear};
}

constexpr TexelTaps kFirstTexel{};  // of directions that a texture does not have

// Channels that a texture does not have.
void clear_from(unsigned channel, TexelRows& rows) {
  for (; channel < rows.size(); ++channel)
    lanes::scattered_functions().fill(rows[channel].data(), 0, kFullMask);
}

constexpr std::array<std::int32_t, kWarpSize> kWholeWeights = [] {
  std::array<std::int32_t, kWarpSize> weights;
  weights.fill(1);
  return weights;
}();

void note(const TexelPlaces& places, const std::int32_t* weights, TexelReads* reads) {
  if (reads == nullptr) return;
  TexelReads::Tap& tap = reads->taps[reads->count++];
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    lanes |= std::uint32_t{places.outside[lane] == 0 && weights[lane] != 0} << lane;
  tap.lanes = Mask(lanes);
  std::ranges::copy(places.offset, tap.offset.begin());
}

}  // namespace

std::uint64_t TextureSampler::bytes(const TextureHeader& header) {
  return (header.depth - std::uint64_t{1}) * header.layer_bytes +
         (header.height - std::uint64_t{1}) * header.row_bytes +
         header.width * header.texel_bytes();
}

bool TextureSampler::can_sample(const TextureHeader& header) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
  const bool has_texels = header.width != 0 && header.height != 0 && header.depth != 0;
  return has_texels && header.shape != Shape::cube && header.shape != Shape::cubes &&
         header.last_level == 0 && header.width <= kMostTexels && header.height <= kMostTexels &&
         header.depth <= kMostTexels && header.row_bytes < kMostBytes &&
         header.layer_bytes < kMostBytes && bytes(header) < kMostBytes && has_periods(header) &&
         is_known_format(header) &&
         std::ranges::none_of(header.border, [](float each) { return std::isnan(each); });
}

void TextureSampler::locate(const std::array<Row, 3>& at, Row layer, bool linear,
                            Located& located) const {
  const auto& functions = lanes::texel_functions();
  const auto find = [&](unsigned direction, std::uint64_t texels) {
    TexelTaps& taps = located.made[direction];
    functions.taps(axis_of(header_, direction, texels, linear), at[direction], taps);
    located.taps[direction] = &taps;
  };
  located.taps = {&kFirstTexel, &kFirstTexel, &kFirstTexel};
  find(0, header_.width);
  if (!is_line(header_)) find(1, header_.height);
  if (header_.shape == Shape::volume) return find(2, header_.depth);
  if (header_.shape != Shape::lines && header_.shape != Shape::planes) return;
  TexelTaps& of_layer = located.made[2];
  of_layer = {};
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    of_layer.index[0][lane] =
        static_cast<std::int32_t>(std::min<std::uint32_t>(layer[lane] & 0xffff, header_.depth - 1));
  located.taps[2] = &of_layer;
}

void TextureSampler::read(unsigned channel, const TexelPlaces& places,
                          std::uint32_t* result) const {
  const unsigned bytes = header_.channel_bits / 8u;
  const std::byte* const first = first_ + channel * bytes;
  const std::uint32_t border = border_bits(header_, channel);
  if (bytes == 4) return lanes::texel_functions().read(first, places, border, result);
  if (bytes == 1 && header_.normalized_result) {
    const auto& values = by_byte_of<std::uint32_t>(header_, channel, channel_bits);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      result[lane] = values[std::to_integer<unsigned>(first[places.offset[lane]])];
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      result[lane] = channel_bits(header_, first_ + places.offset[lane], channel);
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    result[lane] = (result[lane] & ~places.outside[lane]) | (border & places.outside[lane]);
}

void TextureSampler::read_inputs(unsigned channel, const TexelPlaces& places, float* inputs) const {
  const unsigned bytes = header_.channel_bits / 8u;
  const std::byte* const first = first_ + channel * bytes;
  const auto border = static_cast<float>(border_input(header_, channel));
  if (bytes == 4)
    return lanes::texel_functions().read(first, places, std::bit_cast<std::uint32_t>(border),
                                         inputs);
  if (bytes == 1) {
    const auto& values = by_byte_of<float>(header_, channel, filter_input);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      inputs[lane] = values[std::to_integer<unsigned>(first[places.offset[lane]])];
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      inputs[lane] =
          static_cast<float>(filter_input(header_, first_ + places.offset[lane], channel));
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    inputs[lane] = places.outside[lane] != 0 ? border : inputs[lane];
}

void TextureSampler::round(const double* sum, std::uint32_t* result) const {
  const auto& functions = lanes::texel_functions();
  if (header_.format == Format::unsigned_integer) return functions.fractions(sum, 65535, result);
  if (header_.format == Format::signed_integer) return functions.fractions(sum, 32767, result);
  if (header_.channel_bits == 32) return functions.nearest_away(sum, result);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    result[lane] = std::bit_cast<std::uint32_t>(filtered_number(header_, sum[lane]));
}

void TextureSampler::sample(const std::array<Row, 3>& at, Row layer, TexelRows& result,
                            TexelReads* reads) const {
  const auto& functions = lanes::texel_functions();
  const bool linear = header_.linear_filter && gives_numbers(header_);
  Located located;
  locate(at, layer, linear, located);
  const auto& taps = located.taps;
  clear_from(header_.channels, result);
  TexelPlaces places;
  const auto find = [&](unsigned x, unsigned y, unsigned z) {
    functions.places(strides_, taps[0]->index[x], taps[1]->index[y], taps[2]->index[z], places);
  };
  if (!linear) {
    find(0, 0, 0);
    note(places, kWholeWeights.data(), reads);
    for (unsigned channel = 0; channel < header_.channels; ++channel)
      read(channel, places, result[channel].data());
    return;
  }
  Indices weights[8];
  functions.weights(taps[0]->weight, taps[1]->weight, taps[2]->weight, weights);
  const unsigned used = header_.shape == Shape::volume ? 8 : is_line(header_) ? 2 : 4;
  std::array<std::array<double, kWarpSize>, 4> sums;
  for (unsigned channel = 0; channel < header_.channels; ++channel) sums[channel].fill(0);
  std::array<float, kWarpSize> inputs;
  for (unsigned tap = 0; tap < used; ++tap) {
    find(tap & 1, tap >> 1 & 1, tap >> 2);
    note(places, weights[tap], reads);
    for (unsigned channel = 0; channel < header_.channels; ++channel) {
      read_inputs(channel, places, inputs.data());
      functions.add(inputs.data(), weights[tap], sums[channel].data());
    }
  }
  for (unsigned channel = 0; channel < header_.channels; ++channel)
    round(sums[channel].data(), result[channel].data());
}

void TextureSampler::fetch(const std::array<Row, 3>& at, TexelRows& result,
                           TexelReads* reads) const {
  const bool line = header_.shape == Shape::line || header_.shape == Shape::buffer;
  const bool volume = header_.shape == Shape::volume;
  const std::uint32_t sizes[3] = {static_cast<std::uint32_t>(header_.width),
                                  line ? 1 : header_.height, volume ? header_.depth : 1};
  Indices made[3];
  const std::int32_t* index[3] = {kFirstTexel.index[0], kFirstTexel.index[0], kFirstTexel.index[0]};
  for (unsigned direction = 0; direction < (volume ? 3u : line ? 1u : 2u); ++direction) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t asked = at[direction][lane];
      made[direction][lane] =  // beyond the last one, or negative
          asked < sizes[direction] ? static_cast<std::int32_t>(asked) : lanes::kNoTexel;
    }
    index[direction] = made[direction];
  }
  TexelPlaces places;
  lanes::texel_functions().places(strides_, index[0], index[1], index[2], places);
  note(places, kWholeWeights.data(), reads);
  for (unsigned channel = 0; channel < header_.channels; ++channel) {
    std::uint32_t* const row = result[channel].data();
    read(channel, places, row);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) row[lane] &= ~places.outside[lane];
  }
  clear_from(header_.channels, result);
}

}  // namespace heddle::simulator
