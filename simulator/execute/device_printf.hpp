// Formats what a kernel prints: printf in device code hands over the address of the format string
// and the address of a buffer with the arguments, as C's default promotions leave them, each
// aligned to its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace heddle::simulator {

// Copies device memory at `address` into the span; false when the thread cannot read all of it.
using DeviceReader = std::function<bool(std::uint64_t address, std::span<std::byte> into)>;

struct FormattedPrintf {
  std::string text;
  int arguments = 0;        // how many were used, what printf returns; -1: no format string
  std::uint64_t bytes = 0;  // that the call takes of a GPU's buffer
  // What is read one by one: of the format all characters but a conversion's two, as %d has them,
  // and those of strings that it names.
  std::uint32_t characters = 0, string_characters = 0;
};

// Follows "Formatted Output" in the CUDA C++ Programming Guide: conversions c d i o u x X p e E f F
// g G a A s and %%, flags, widths and precisions also as *, sizes hh h l ll (and j z t, 8 bytes);
// what is not a conversion comes out as it stands, so does every conversion after the 32nd
// argument.
FormattedPrintf format_device_printf(const DeviceReader& read, std::uint64_t format,
                                     std::uint64_t arguments);

}  // namespace heddle::simulator
