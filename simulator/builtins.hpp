// Device functions that the driver supplies and compiled code calls by name: vprintf, malloc, free,
// __assertfail. They have code addresses below isa::kCodeBase.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/program.hpp"

namespace heddle::simulator {

enum class Builtin : std::uint8_t { vprintf, malloc, free, assertfail, unknown };

inline constexpr std::array<std::string_view, 4> kBuiltinNames{"vprintf", "malloc", "free",
                                                               "__assertfail"};

// Code address of a function named like this; the address of Builtin::unknown for all others, so
// that a module loads although one of its functions may never be called.
constexpr std::uint64_t builtin_address(std::string_view name) {
  std::uint64_t index = 0;
  while (index < kBuiltinNames.size() && kBuiltinNames[index] != name) ++index;
  return 16 * (index + 1);
}

constexpr std::optional<Builtin> builtin_at(std::uint64_t code_address) {
  const std::uint64_t index = code_address / 16;
  if (index == 0 || index > kBuiltinNames.size() + 1 || code_address >= isa::kCodeBase)
    return std::nullopt;
  return static_cast<Builtin>(index - 1);
}

}  // namespace heddle::simulator
