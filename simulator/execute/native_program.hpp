// A program as native code finds it (simulator/native).
#pragma once

#include <memory>

#include "simulator/execute/machine.hpp"
#include "simulator/native/run_op.hpp"
#include "simulator/native/vector_unit.hpp"

namespace heddle::simulator {

// The words of its pool that are known before a launch. It must outlive what is returned.
native::KnownWord known_words(const LoweredProgram& program);

// As make_native, for a vector unit.
std::shared_ptr<native::Runs> make_native(const LoweredProgram& program, native::VectorUnit unit);

}  // namespace heddle::simulator
