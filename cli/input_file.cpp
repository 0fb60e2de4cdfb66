#include "cli/input_file.hpp"

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/accelsim_run.hpp"
#include "cli/sketch_file.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// Whatever its name is.
bool is_capsule(const std::string& word) {
  constexpr std::string_view kBegin = "HEDDLCAP";
  char begin[kBegin.size()] = {};
  std::ifstream(word, std::ios::binary).read(begin, sizeof begin);
  return std::string_view(begin, sizeof begin) == kBegin;
}

bool is_device_code(const std::string& word) {
  Elf64_Ehdr header{};
  std::ifstream(word, std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_CUDA;
}

}  // namespace

bool is_cubin_file(const std::string& word) {
  return fs::path(word).extension() == ".cubin" || is_device_code(word);
}
bool is_cuda_source(const std::string& word) { return fs::path(word).extension() == ".cu"; }

bool is_input_file(const std::string& word) {
  std::error_code none;
  return fs::path(word).extension() == ".capsule" || is_sketch(word) || is_accelsim(word) ||
         is_cubin_file(word) || fs::is_directory(word, none) || is_capsule(word);
}

}  // namespace heddle::cli
