// For which processors native code is made.
#pragma once

#include <cstdint>

namespace heddle::simulator::native {

enum class VectorUnit : std::uint8_t { avx2, avx512 };

}  // namespace heddle::simulator::native
