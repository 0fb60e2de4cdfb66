// docs/coverage.md: which instructions are executed, and which of them an H200 answered like us.
#pragma once

#include <string>

namespace heddle::simulator {

// Made from the opcode rows, what the core says it executes, and the recorded answers in
// tests/data.
std::string coverage_page();

}  // namespace heddle::simulator
