// Can the stand-in take the place of a program's CUDA runtime?
#pragma once

#include <filesystem>
#include <string>

namespace heddle::runtime {

// Of a file that is no program with CUDA (a script, for example) there is nothing to say.
struct ProgramCheck {
  // Why it cannot be run, with what mends it: it brings its own copy of the runtime, or is linked
  // with another version's. Empty: it can.
  std::string refusal;
  // What of it will not work: calls of NVIDIA's libraries of kernels. Empty: nothing is known.
  std::string notice;
};
ProgramCheck check_program(const std::filesystem::path& file);

}  // namespace heddle::runtime
