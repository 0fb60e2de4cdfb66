// Where the parts of this build or installation lie, found from the running executable.
#pragma once

#include <filesystem>
#include <string>

namespace heddle::cli {

// The folder with the libcudart stand-in. Throws std::runtime_error when it is not there.
std::filesystem::path runtime_directory();
// A library of ours that is not in every build; empty where this one lacks it.
std::filesystem::path library_beside(const std::string& name);
// A folder of the project's data (validation, gpu/cupti): beside the sources of this build or in
// share/heddle of the installation. Throws std::runtime_error when it is not there.
std::filesystem::path data_directory(const std::filesystem::path& name);

}  // namespace heddle::cli
