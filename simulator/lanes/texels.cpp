#include "simulator/lanes/texels.hpp"

#include "simulator/lanes/lane.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

using Mode = TexelAxis::Mode;

constexpr float kMostTexels = 1 << 27;
constexpr double kOne = 256;  // a texel in the units of weights

inline float float_of(u32 bits) { return __builtin_bit_cast(float, bits); }
inline u32 bits_of(float value) { return __builtin_bit_cast(u32, value); }

// Of any number but NaN; calls nothing, so that loops stay vectors.
inline float floor_of(float value) {
  constexpr float kWhole = 1 << 23;  // from here on all are
  const bool small = __builtin_fabsf(value) < kWhole;
  const float inside = small ? value : 0;
  const float cut = static_cast<float>(static_cast<i32>(inside));
  const float below = cut - (cut > inside ? 1.0f : 0.0f);
  return small ? below : value;
}

// Of numbers between -2^50 and 2^50.
inline double floor_of(double value) {
  constexpr double kWhole = 0x1.8p52;  // added, only whole numbers are left
  const double nearest = (value + kWhole) - kWhole;
  return nearest - (nearest > value ? 1.0 : 0.0);
}

inline bool is_nan(float value) { return value != value; }

// The coordinate in texels, brought into the one period, of size or twice that, in which texels
// repeat; zero where it is no number.
template <Mode kMode, bool kNormalized>
inline float texels_of(float coordinate, float size) {
  constexpr bool kRepeats = kMode == Mode::wrap || kMode == Mode::mirror;
  constexpr float kLast = 0x1.fffffep-1f;  // the subtraction may round up to 1
  constexpr float kMost = 0x1.fffffep127f;
  const bool lost = is_nan(coordinate) || (kRepeats && !(__builtin_fabsf(coordinate) <= kMost));
  float at = lost ? 0.0f : coordinate;
  if constexpr (kNormalized) {
    if constexpr (kMode == Mode::wrap) at -= floor_of(at);
    if constexpr (kMode == Mode::mirror) at -= 2 * floor_of(at / 2);
    constexpr float kEnd = kMode == Mode::wrap ? kLast : 2 * kLast;
    if constexpr (kRepeats) at = kEnd < at ? kEnd : at;
    at *= size;
  }
  return at;
}

// The texel that stands for number `index` of `size`. Where they repeat, the number is of the first
// period or next to it.
template <Mode kMode>
inline i32 texel_number(i32 index, i32 size) {
  if constexpr (kMode == Mode::border) {
    return index < 0 || index >= size ? kNoTexel : index;
  } else if constexpr (kMode == Mode::clamp) {
    const i32 least = index < 0 ? 0 : index;
    return least < size ? least : size - 1;
  } else {
    const i32 period = kMode == Mode::wrap ? size : 2 * size;
    i32 at = index + (index < 0 ? period : 0);
    at -= at >= period ? period : 0;
    at -= at >= period ? period : 0;  // of a period of one
    if constexpr (kMode == Mode::mirror) at = at < period - 1 - at ? at : period - 1 - at;
    return at;
  }
}

template <Mode kMode, bool kNormalized, bool kLinear>
void taps_of(const TexelAxis& axis, const u32* coordinates, TexelTaps& taps) {
  const i32 size = axis.texels;
  const float texels = static_cast<float>(size);
  for (u32 i = 0; i < kWarpSize; ++i) {
    float at = texels_of<kMode, kNormalized>(float_of(coordinates[i]), texels);
    at = at < -kMostTexels ? -kMostTexels : at;
    at = kMostTexels < at ? kMostTexels : at;
    double first;
    if constexpr (kLinear) {
      const double fixed = floor_of(double{at} * kOne + 0.5) - kOne / 2;
      first = floor_of(fixed / kOne);
      taps.weight[i] = static_cast<i32>(fixed - first * kOne);
    } else {
      first = floor_of(double{at});
      taps.weight[i] = 0;
    }
    taps.index[0][i] = texel_number<kMode>(static_cast<i32>(first), size);
    taps.index[1][i] = texel_number<kMode>(static_cast<i32>(first) + 1, size);
  }
}

template <Mode kMode>
void taps_by(const TexelAxis& axis, const u32* coordinates, TexelTaps& taps) {
  constexpr bool kRepeats = kMode == Mode::wrap || kMode == Mode::mirror;
  const auto by = axis.linear ? (axis.normalized || kRepeats ? taps_of<kMode, true, true>
                                                             : taps_of<kMode, kRepeats, true>)
                              : (axis.normalized || kRepeats ? taps_of<kMode, true, false>
                                                             : taps_of<kMode, kRepeats, false>);
  by(axis, coordinates, taps);
}

void taps(const TexelAxis& axis, const u32* coordinates, TexelTaps& taps) {
  switch (axis.mode) {
    case Mode::wrap:
      return taps_by<Mode::wrap>(axis, coordinates, taps);
    case Mode::clamp:
      return taps_by<Mode::clamp>(axis, coordinates, taps);
    case Mode::mirror:
      return taps_by<Mode::mirror>(axis, coordinates, taps);
    case Mode::border:
      return taps_by<Mode::border>(axis, coordinates, taps);
  }
}

void places(const TexelStrides& strides, const i32* x, const i32* y, const i32* z,
            TexelPlaces& places) {
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u32 outside = 0u - u32{(x[i] | y[i] | z[i]) < 0};
    const u32 offset = static_cast<u32>(x[i]) * strides.x + static_cast<u32>(y[i]) * strides.y +
                       static_cast<u32>(z[i]) * strides.z;
    places.offset[i] = offset & ~outside;
    places.outside[i] = outside;
  }
}

void read(const std::byte* first, const TexelPlaces& places, u32 border, void* result) {
  u32 value[kWarpSize];
#if defined(__AVX512F__)
  using Offsets = u32 __attribute__((vector_size(32)));
  using Wide = long long __attribute__((vector_size(64)));
  using Words = i32 __attribute__((vector_size(32)));
  const auto of_eight = [&](u32 lane) -> Words {
    Offsets offsets;
    __builtin_memcpy(&offsets, places.offset + lane, sizeof offsets);
    return __builtin_ia32_gatherdiv16si(Words{}, first, __builtin_convertvector(offsets, Wide),
                                        static_cast<char>(~0), 1);
  };
  for (u32 i = 0; i < kWarpSize; i += 16) {  // stored as it is loaded again
    const auto both = __builtin_shufflevector(of_eight(i), of_eight(i + 8), 0, 1, 2, 3, 4, 5, 6, 7,
                                              8, 9, 10, 11, 12, 13, 14, 15);
    __builtin_memcpy(value + i, &both, sizeof both);
  }
#elif defined(__AVX2__) && !defined(__clang__)
  // Offsets have no sign, those of gathers do.
  using Words = i32 __attribute__((vector_size(32)));
  constexpr u32 kHalf = 1u << 31;
  const auto* const half = reinterpret_cast<const int*>(reinterpret_cast<u64>(first) + kHalf);
  for (u32 i = 0; i < kWarpSize; i += sizeof(Words) / sizeof(u32)) {
    Words offsets;
    __builtin_memcpy(&offsets, places.offset + i, sizeof offsets);
    offsets ^= static_cast<i32>(kHalf);
    const Words words = __builtin_ia32_gathersiv8si(Words{}, half, offsets, ~Words{}, 1);
    __builtin_memcpy(value + i, &words, sizeof words);
  }
#else
  for (u32 i = 0; i < kWarpSize; ++i)
    __builtin_memcpy(&value[i], first + places.offset[i], sizeof value[i]);
#endif
  for (u32 i = 0; i < kWarpSize; ++i)
    value[i] = (value[i] & ~places.outside[i]) | (border & places.outside[i]);
  __builtin_memcpy(result, value, sizeof value);
}

// Products are rounded, so that pairs of texels share what the direction before gave them.
void weights(const i32* x, const i32* y, const i32* z, i32 (*weights)[kWarpSize]) {
  constexpr i32 kWhole = 256, kHalf = 128, kBits = 8;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const i32 xy = (x[i] * y[i] + kHalf) >> kBits, xz = (x[i] * z[i] + kHalf) >> kBits,
              yz = (y[i] * z[i] + kHalf) >> kBits, xyz = (xz * y[i] + kHalf) >> kBits;
    weights[0][i] = kWhole - x[i] - y[i] - z[i] + xy + xz + yz - xyz;
    weights[1][i] = x[i] - xy - xz + xyz;
    weights[2][i] = y[i] - xy - yz + xyz;
    weights[3][i] = xy - xyz;
    weights[4][i] = z[i] - xz - yz + xyz;
    weights[5][i] = xz - xyz;
    weights[6][i] = yz - xyz;
    weights[7][i] = xyz;
  }
}

// A weight of zero takes nothing, also of what is infinite. Products are exact.
void add(const float* input, const i32* weight, double* sum) {
  for (u32 i = 0; i < kWarpSize; ++i) {
    const double product = double{input[i]} * (static_cast<double>(weight[i]) / kOne);
    sum[i] += weight[i] != 0 ? product : 0.0;
  }
}

void nearest_away(const double* sum, u32* result) {
  constexpr u64 kDropped = (u64{1} << 29) - 1, kHalf = u64{1} << 28;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 bits = __builtin_bit_cast(u64, sum[i]);
    const u64 upwards = bits + u64{(bits & kDropped) == kHalf};
    result[i] = bits_of(static_cast<float>(__builtin_bit_cast(double, upwards)));
  }
}

void fractions(const double* sum, float most, u32* result) {
  for (u32 i = 0; i < kWarpSize; ++i) {
    const float value = static_cast<float>(floor_of(sum[i] + 0.5)) / most;
    result[i] = bits_of(-1.0f < value ? value : -1.0f);
  }
}

}  // namespace

TexelFunctions texel_functions() {
  return {taps, places, read, weights, add, nearest_away, fractions};
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
