// Which pages of device memory anybody has written: large allocations are mostly untouched, and all
// zero there, and reading them would make the host provide them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

inline constexpr std::uint64_t kHostPage = 4096;

// Calls visit(offset, bytes) for stretches of the allocation in ascending order, each begun at a
// multiple of kHostPage. All that is in none of them is zero.
using VisitStretch = std::function<void(std::uint64_t offset, std::span<const std::byte> bytes)>;
void for_each_touched(const Allocation& allocation, const VisitStretch& visit);

// Whether nobody has touched any of the host's pages that these bytes lie in, but for such reads
// that the system has given no page for: all are zero. Of memory that belongs to no file.
bool is_untouched(const std::byte* first, std::uint64_t bytes);

}  // namespace heddle::simulator
