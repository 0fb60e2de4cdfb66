// The ways in which lanes of a warp that parted come to run together again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::simulator {

enum class Reconvergence : std::uint8_t {
  barriers,  // where the code's own convergence barriers say: sm_70 and later
  stack,     // at the branch's post-dominator, kept on a stack: what came before
  min_pc,    // wherever they come to one instruction; the one that is furthest behind runs
};

struct ReconvergenceInfo {
  std::string_view name, meaning;
  Reconvergence value;
};

inline constexpr std::array kReconvergences{
    ReconvergenceInfo{"barriers", "convergence barriers", Reconvergence::barriers},
    ReconvergenceInfo{"stack", "post-dominator stack", Reconvergence::stack},
    ReconvergenceInfo{"min-pc", "minimum PC", Reconvergence::min_pc},
};

constexpr const ReconvergenceInfo& info(Reconvergence value) {
  return kReconvergences[static_cast<std::size_t>(value)];
}

constexpr std::optional<Reconvergence> find_reconvergence(std::string_view name) {
  for (const ReconvergenceInfo& each : kReconvergences)
    if (each.name == name) return each.value;
  return std::nullopt;
}

}  // namespace heddle::simulator
