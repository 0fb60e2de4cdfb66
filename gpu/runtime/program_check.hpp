// Can the stand-in take the place of a program's CUDA runtime?
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace heddle::runtime {

// Why not, with what mends it, if the file is an executable that brings its own copy of the
// runtime, or is linked with another version's; nothing for any other file (a script, a program
// without CUDA).
std::optional<std::string> check_program(const std::filesystem::path& file);

}  // namespace heddle::runtime
