// What every fuzz target shares: bytes go in; a CubinError is an answer, anything else a find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/cubin.hpp"

#define HEDDLE_FUZZ_TARGET(bytes)                                                     \
  static void fuzz_one(std::span<const std::byte> bytes);                             \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    try {                                                                             \
      fuzz_one(std::as_bytes(std::span(data, size)));                                 \
    } catch (const heddle::isa::CubinError&) {                                        \
    }                                                                                 \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_one(std::span<const std::byte> bytes)
