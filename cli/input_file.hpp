// Files that commands read themselves, told from programs.
#pragma once

#include <string>

namespace heddle::cli {

// A capsule or a folder of them, a sketch, a trace, or a cubin.
bool is_input_file(const std::string& word);
bool is_cubin_file(const std::string& word);   // by its name: NAME.cubin
bool is_cuda_source(const std::string& word);  // by its name: NAME.cu

}  // namespace heddle::cli
