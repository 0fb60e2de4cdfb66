// The ways in which lanes of a warp that diverged reconverge, by name. The command line, its help,
// the environment and the GPU models read the names from here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::simulator {

enum class ReconvergencePolicy : std::uint8_t { barriers, stack, min_pc };

struct ReconvergenceInfo {
  ReconvergencePolicy policy;
  std::string_view name, meaning;
  std::string_view where;  // lanes reconverge
  // Whether every lane gets its turn. If not, lanes that spin can keep those from running that
  // they wait for, and a launch can deadlock that would not on a GPU from sm_70 on.
  bool progress;
};

inline constexpr std::array kReconvergencePolicies{
    ReconvergenceInfo{ReconvergencePolicy::barriers, "barriers", "convergence barriers",
                      "where the code's own barriers say, as on sm_70 and later", true},
    ReconvergenceInfo{ReconvergencePolicy::stack, "stack", "post-dominator stack",
                      "at post-dominators", false},
    ReconvergenceInfo{ReconvergencePolicy::min_pc, "min-pc", "minimum PC",
                      "wherever they reach the same PC", false},
};

constexpr const ReconvergenceInfo& info(ReconvergencePolicy policy) {
  return *std::ranges::find(kReconvergencePolicies, policy, &ReconvergenceInfo::policy);
}

constexpr std::optional<ReconvergencePolicy> find_reconvergence(std::string_view name) {
  for (const ReconvergenceInfo& each : kReconvergencePolicies)
    if (each.name == name) return each.policy;
  return std::nullopt;
}

// "barriers, stack or min-pc"
inline std::string reconvergence_names() {
  std::string names;
  for (const ReconvergenceInfo& each : kReconvergencePolicies) {
    if (&each == &kReconvergencePolicies.back())
      names += " or ";
    else if (!names.empty())
      names += ", ";
    names += each.name;
  }
  return names;
}

}  // namespace heddle::simulator
