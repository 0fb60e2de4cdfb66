// Which warp issues, by name. The command line and its help read the names from here; what each
// policy picks is in scheduler.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::simulator::timing {

enum class Policy : std::uint8_t {
  greedy_then_longest_waiting,
  greedy_then_youngest,
  greedy_then_oldest,
  loose_round_robin,
  two_level,
  oldest_first,
};

struct PolicyInfo {
  Policy policy;
  std::string_view name;
};

// The first one is the default: what an H200 does (docs/experiments/timing.md).
inline constexpr std::array kPolicies{
    PolicyInfo{Policy::greedy_then_longest_waiting, "greedy-then-longest-waiting"},
    PolicyInfo{Policy::greedy_then_youngest, "greedy-then-youngest"},
    PolicyInfo{Policy::greedy_then_oldest, "greedy-then-oldest"},
    PolicyInfo{Policy::loose_round_robin, "loose-round-robin"},
    PolicyInfo{Policy::two_level, "two-level"},
    PolicyInfo{Policy::oldest_first, "oldest-first"},
};

}  // namespace heddle::simulator::timing
