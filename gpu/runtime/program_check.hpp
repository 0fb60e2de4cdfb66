// Can the stand-in take the place of a program's CUDA runtime?
#pragma once

#include <filesystem>
#include <string>

namespace heddle::runtime {

// Of a file that is no program with CUDA (a script, for example) there is nothing to say.
struct ProgramCheck {
  // Why it cannot be run, with what to do: it is linked with the runtime of an unknown version,
  // holds a copy whose functions cannot be found, or is a 32-bit program. Empty: it can.
  std::string refusal;
  // What of it will not work: calls of NVIDIA's libraries of kernels. Empty: nothing is known.
  std::string notice;
  // False: an executable that neither holds device code nor is linked with CUDA's libraries. What
  // it loads later may.
  bool has_cuda = true;
};
ProgramCheck check_program(const std::filesystem::path& file);

}  // namespace heddle::runtime
