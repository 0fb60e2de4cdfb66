// How much a compiler finds to do behind an `if` while what the `if` loads is on its way.
#pragma once

#include <span>

#include "traces/sketch/ast.hpp"

namespace heddle::isa::sketch {

// Roughly in instructions: what the statements behind `branch` in its block do, as far as control
// runs straight on, without what needs a variable that `branch` gives a value. `ends_loop`: behind
// the block's last statement a loop's test follows.
unsigned room_behind(const Statement& branch, std::span<const StatementPtr> following,
                     bool ends_loop);

}  // namespace heddle::isa::sketch
