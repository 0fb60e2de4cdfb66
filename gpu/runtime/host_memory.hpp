// What the machine has left for device memory. Allocations cost nothing until they are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

// Bytes of memory that may still be touched; nothing where the system does not say.
std::optional<std::uint64_t> available_memory();

// How many of `bytes` at an address lie in pages that nobody has touched.
std::uint64_t untouched_bytes(const std::byte* at, std::uint64_t bytes);

// Why CUDA would not register a range of the program's memory, as an H200's driver answers
// (gpu/runtime/tests/answers/registering.cu); success: it would. Pages must be there, allow
// reading, and writing where the range is not to be read alone.
Error refuse_registering(std::uint64_t address, std::uint64_t bytes, bool read_only);

}  // namespace heddle::runtime
