// A kernel's parameter as it is typed: a number, or an array in device memory.
//
//   64  -1  0x10  2.5          a number, as wide as the parameter; with a point or an exponent it
//   is
//                              floating point
//   f32:1  u64:7               a number of a type: f32, f64, i8 to i64, u8 to u64
//   f32[1024]                  an array of zeros
//   f32[1024]=1.5              … of one value
//   i32[64]=iota               … 0, 1, 2, …
//   i32[64]=random             … the same each time: 0 to 99, and 0 to 1 for f32 and f64
//   u8[4096]=@FILE             … the bytes of a file, zeros behind them
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

struct ElementType {
  enum class Kind { floating, signed_integer, unsigned_integer } kind;
  std::uint32_t bytes;
};

struct KernelParameter {
  std::string type_name;             // "f32"; empty: as wide as the parameter
  std::optional<ElementType> array;  // its elements; none: a number
  std::uint64_t count = 0;           // of elements
  std::vector<std::byte> bytes;      // the array's, or the number's
};

// `bytes`: of the parameter. Throws Usage with what is expected.
KernelParameter parse_parameter(const std::string& text, std::uint32_t bytes);

// The elements of an array, in lines of at most 8.
std::string array_text(const KernelParameter& array, const std::byte* contents);

}  // namespace heddle::cli
