// A program that is given as CUDA source.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/temporary_folder.hpp"

namespace heddle::cli {

// Compiled by the toolkit's nvcc for as long as this lives, with line tables, for the architecture
// of a GPU model (its id; empty: the stand-in's default), with macros (NAME or NAME=VALUE). Throws
// std::runtime_error with what to do where there is no nvcc, or where it fails, after what it says
// on stderr.
class SourceProgram {
 public:
  SourceProgram(const std::filesystem::path& source, const std::string& gpu,
                const std::vector<std::string>& macros = {});
  std::filesystem::path executable() const { return folder_.path() / "program"; }

 private:
  const TemporaryFolder folder_;
};

}  // namespace heddle::cli
