// Which launches a sketch makes: its own, or those that the command line asks for.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/sketch/compile.hpp"

namespace heddle::isa::sketch {

struct LaunchChoice {
  std::optional<std::array<std::uint32_t, 3>> grid, block;
  std::optional<std::uint32_t> dynamic_shared_bytes;
  std::vector<std::pair<std::string, std::string>> parameters;  // name and value
};

// The sketch's launches with what was chosen put in place of what they say; where it has none, one
// of each kernel. Throws std::invalid_argument for a shape or a parameter that nothing gives, and
// for a name that no kernel has.
std::vector<CompiledLaunch> choose_launches(const Compiled& compiled, const LaunchChoice& choice);

}  // namespace heddle::isa::sketch
