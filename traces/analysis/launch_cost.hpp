// What a launch costs, in cycles that its parts keep an SM busy: so that a branch, a bank conflict
// and an uncoalesced load can be told apart by what they cost. Latencies and overlap are not in it.
#pragma once

#include <cstdint>

namespace heddle::traces {

struct AccessSite;

inline constexpr double kIssueCycles = 0.25;  // of a warp instruction: four schedulers
inline constexpr double kPassCycles = 1;      // of shared memory
// Of a 32-byte sector: an H200's memory moves 4.8 TB/s, which are 18 bytes a cycle for each SM.
inline constexpr double kSectorCycles = 2;
inline constexpr double kCollisionCycles = 1;  // of an atomic whose address another lane has

// What is worth saying, of the cost.
inline constexpr double kWorthSaying = 0.02;

}  // namespace heddle::traces
