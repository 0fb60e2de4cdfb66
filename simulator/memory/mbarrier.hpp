// Barriers that lie in shared memory (PTX mbarrier), as their 64-bit word.
#pragma once

#include <cstdint>

namespace heddle::simulator {

// The word after `bytes` that the barrier expects have come.
std::uint64_t barrier_after_bytes(std::uint64_t word, std::uint32_t bytes);
// … after one arrival.
std::uint64_t barrier_after_arrival(std::uint64_t word);

}  // namespace heddle::simulator
