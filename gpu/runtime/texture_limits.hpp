// Limits of textures over linear memory.
#pragma once

#include <cstddef>

namespace heddle::runtime {

// Of one line, whatever its texels are (CUDA programming guide, table of limits).
inline constexpr std::size_t kMostLinearTexels = std::size_t{1} << 28;

}  // namespace heddle::runtime
