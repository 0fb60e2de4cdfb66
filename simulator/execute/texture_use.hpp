// Which texture or surface an instruction is about to use.
#pragma once

#include <optional>

#include "simulator/execute/machine.hpp"
#include "simulator/memory/texture.hpp"

namespace heddle::simulator {

// As the lane's operands name it; nothing where there is none. The instruction has not executed
// yet.
std::optional<TextureHeader> texture_in_use(const Core& core, const Warp& warp, const Step& step,
                                            unsigned lane);

}  // namespace heddle::simulator
