// A program as native code finds it (simulator/native).
#pragma once

#include "simulator/execute/machine.hpp"
#include "simulator/native/run_op.hpp"

namespace heddle::simulator {

// The words of its pool that are known before a launch. It must outlive what is returned.
native::KnownWord known_words(const LoweredProgram& program);

}  // namespace heddle::simulator
