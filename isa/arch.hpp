// The GPU architectures whose machine code this project reads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::isa {

enum class Arch : std::uint8_t { sm_75, sm_80, sm_86, sm_89, sm_90 };

inline constexpr std::array kAllArchs{Arch::sm_75, Arch::sm_80, Arch::sm_86, Arch::sm_89,
                                      Arch::sm_90};

// 75, 80, … as in -arch=sm_NN.
constexpr int sm_number(Arch arch) {
  constexpr std::array<int, 5> numbers{75, 80, 86, 89, 90};
  return numbers[static_cast<std::size_t>(arch)];
}

constexpr std::string_view name(Arch arch) {
  constexpr std::array<std::string_view, 5> names{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"};
  return names[static_cast<std::size_t>(arch)];
}

constexpr std::optional<Arch> arch_from_sm(int number) {
  for (Arch arch : kAllArchs)
    if (sm_number(arch) == number) return arch;
  return std::nullopt;
}

// Where the driver puts things in constant bank 0 (SASS-FACTS 6.4; sm_90 moved the parameters).
struct Bank0Layout {
  std::uint32_t parameters;         // byte offset of the first kernel parameter
  std::uint32_t memory_descriptor;  // byte offset of the 8-byte global memory descriptor; 0: none
};

constexpr Bank0Layout bank0_layout(Arch arch) {
  if (arch == Arch::sm_90) return {.parameters = 0x210, .memory_descriptor = 0x208};
  if (arch == Arch::sm_75) return {.parameters = 0x160, .memory_descriptor = 0};
  return {.parameters = 0x160, .memory_descriptor = 0x118};
}

}  // namespace heddle::isa
