// What most of a timed launch's cycles are spent on. How far modelled cycles are from a GPU's
// differs from kind to kind, so each has its own error (the [cycles_error] table of a GPU model).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::simulator {

enum class TimeBound : std::uint8_t {
  start,
  memory,
  shared_memory,
  barriers,
  fetch,
  arithmetic,
};

struct TimeBoundInfo {
  TimeBound value;
  std::string_view key, meaning;
};

inline constexpr std::array<TimeBoundInfo, 6> kTimeBounds{{
    {TimeBound::start, "start", "launches of less than 5,000 cycles"},
    {TimeBound::memory, "memory", "warps wait for global, local or texture memory"},
    {TimeBound::shared_memory, "shared_memory", "warps wait for shared memory, or its queue"},
    {TimeBound::barriers, "barriers", "warps wait for one another"},
    {TimeBound::fetch, "fetch", "warps wait for instructions, constants or branches"},
    {TimeBound::arithmetic, "arithmetic", "warps compute, or wait for a turn to"},
}};

// In percent, by TimeBound: of ten launches of the kind, nine were within it of the GPU's cycles.
struct CyclesErrors {
  std::array<std::uint32_t, kTimeBounds.size()> percent{};
  std::uint32_t of(TimeBound bound) const { return percent[static_cast<std::size_t>(bound)]; }
};

}  // namespace heddle::simulator
