// A sketch in a file, compiled.
#pragma once

#include <filesystem>
#include <string>

#include "traces/sketch/compile.hpp"

namespace heddle::cli {

bool is_sketch(const std::string& word);  // a file that ends in .warp

// Files that it names are looked for beside it, then here. Throws SketchError, std::runtime_error.
isa::sketch::Compiled compile_sketch(const std::filesystem::path& file,
                                     const isa::sketch::PredicationRule* rule = nullptr);

}  // namespace heddle::cli
