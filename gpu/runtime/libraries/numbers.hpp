// Types of elements as cudaDataType numbers them, and matrices of them as C++ numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/runtime/libraries/routine.hpp"
#define HEDDLE_LANES_VARIANT stand_ins  // conversions compiled for these libraries
#include "simulator/lanes/half.hpp"

namespace heddle::runtime::libraries {

namespace lanes = simulator::lanes::stand_ins;

enum class DataType : int {
  float32 = 0,
  float64 = 1,
  float16 = 2,
  int8 = 3,
  complex64 = 4,
  complex128 = 5,
  int32 = 10,
  bfloat16 = 14,
};

inline const char* name_of(DataType type) {
  switch (type) {
    case DataType::float32:
      return "float32";
    case DataType::float64:
      return "float64";
    case DataType::float16:
      return "float16";
    case DataType::int8:
      return "int8";
    case DataType::complex64:
      return "complex64";
    case DataType::complex128:
      return "complex128";
    case DataType::int32:
      return "int32";
    case DataType::bfloat16:
      return "bfloat16";
  }
  throw Missing("elements of cudaDataType " + std::to_string(static_cast<int>(type)) +
                " are not supported");
}

// Elements of 16 bits.
template <lanes::Half kFormat>
struct Narrow {
  std::uint16_t bits = 0;
  Narrow() = default;
  explicit Narrow(float value) {
    std::uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    bits = static_cast<std::uint16_t>(lanes::narrowed<kFormat, lanes::kNearest>(wide));
  }
  explicit operator float() const {
    const std::uint32_t wide = lanes::widened<kFormat>(bits);
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
};
using Float16 = Narrow<lanes::Half::fp16>;
using Bfloat16 = Narrow<lanes::Half::bf16>;

// Calls `body` with a value of the type.
template <typename Body>
auto with_type(DataType type, Body body) {
  name_of(type);
  switch (type) {
    case DataType::float64:
      return body(double{});
    case DataType::float16:
      return body(Float16{});
    case DataType::int8:
      return body(std::int8_t{});
    case DataType::complex64:
      return body(Complex{});
    case DataType::complex128:
      return body(DoubleComplex{});
    case DataType::int32:
      return body(std::int32_t{});
    case DataType::bfloat16:
      return body(Bfloat16{});
    default:
      return body(float{});
  }
}

// Calls body(T{}) for the four types in which BLAS and LAPACK compute. Throws Missing for others.
template <typename Body>
auto with_lapack_type(DataType type, Body body) {
  switch (type) {
    case DataType::float32:
      return body(float{});
    case DataType::float64:
      return body(double{});
    case DataType::complex64:
      return body(Complex{});
    case DataType::complex128:
      return body(DoubleComplex{});
    default:
      throw Missing(std::string("computing in ") + name_of(type) + " is not supported");
  }
}

// From one type to another; whole numbers are rounded to the nearest and saturate, as cuBLAS says.
template <typename To, typename From>
To convert(const From& from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>)
      return To(static_cast<Real<To>>(from.real()), static_cast<Real<To>>(from.imag()));
    else
      return convert<To>(from.real());
  } else if constexpr (std::is_class_v<From>) {
    return convert<To>(static_cast<float>(from));
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<Real<To>>(from));
  } else if constexpr (std::is_class_v<To>) {
    return To(static_cast<float>(from));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    const double rounded = std::nearbyint(static_cast<double>(from));
    if (std::isnan(rounded)) return 0;
    return static_cast<To>(std::clamp<double>(rounded, std::numeric_limits<To>::min(),
                                              std::numeric_limits<To>::max()));
  } else {
    return static_cast<To>(from);
  }
}

// A matrix on the device, stored by columns, or by rows.
struct Place {
  std::uint64_t address = 0;
  DataType type = DataType::float32;
  std::int64_t rows = 0, columns = 0, leading = 0;
  bool by_rows = false;

  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return by_rows ? row * leading + column : row + column * leading;
  }
  std::int64_t elements() const {
    return by_rows ? span(columns, rows, leading) : span(rows, columns, leading);
  }
};

template <typename T>
T* pointer_to(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

// Its elements by columns, without gaps.
template <typename Work>
std::vector<Work> load(const Place& place) {
  std::vector<Work> values(static_cast<std::size_t>(place.rows * place.columns));
  with_type(place.type, [&](auto sample) {
    const auto* const from = in(pointer_to<decltype(sample)>(place.address), place.elements());
    std::size_t i = 0;
    for (std::int64_t column = 0; column < place.columns; ++column)
      for (std::int64_t row = 0; row < place.rows; ++row)
        values[i++] = convert<Work>(from[place.at(row, column)]);
  });
  return values;
}

template <typename Work>
void store(const Place& place, const std::vector<Work>& values) {
  with_type(place.type, [&](auto sample) {
    auto* const to = out(pointer_to<decltype(sample)>(place.address), place.elements());
    std::size_t i = 0;
    for (std::int64_t column = 0; column < place.columns; ++column)
      for (std::int64_t row = 0; row < place.rows; ++row)
        to[place.at(row, column)] = convert<decltype(sample)>(values[i++]);
  });
}

}  // namespace heddle::runtime::libraries
