// The device code in a file: a cubin, an executable or shared object with fat binaries, or a
// sketch.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "isa/cubin.hpp"

namespace heddle::cli {

struct CubinFile {
  std::vector<std::byte> bytes;
  std::string origin;  // the file, with the entry's number where it holds several
};

// Those for `arch` ("sm_90"), or all when it is empty. Throws isa::CubinError when the file holds
// none, naming the architectures it has.
std::vector<CubinFile> read_cubins(const std::filesystem::path& path, std::string_view arch);

}  // namespace heddle::cli
