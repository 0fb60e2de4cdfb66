// What the machine has left for device memory. Allocations cost nothing until they are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle::runtime {

// Bytes of memory that may still be touched; nothing where the system does not say.
std::optional<std::uint64_t> available_memory();

// How many of `bytes` at an address lie in pages that nobody has touched.
std::uint64_t untouched_bytes(const std::byte* at, std::uint64_t bytes);

}  // namespace heddle::runtime
