// A cubin written by us: one section of code per kernel, with what a loader needs to know of it and
// the lines it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "isa/word.hpp"

namespace heddle::isa::sketch {

struct WrittenKernel {
  std::string name;
  std::vector<Word> words;
  std::vector<std::uint32_t> lines;       // of each word
  std::vector<std::uint32_t> parameters;  // bytes of each, in order; each aligned to its size
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t local_bytes = 0;
  bool uses_barrier = false;
};

// Bytes from the start of the parameters to each, and to their end.
std::vector<std::uint32_t> parameter_offsets(const std::vector<std::uint32_t>& sizes);

// `source` is the file that the lines are of; `table` is what constant bank 3 holds.
std::vector<std::byte> write_cubin(const std::vector<WrittenKernel>& kernels,
                                   const std::vector<std::byte>& table, const std::string& source,
                                   Arch arch = kSketchArch);

}  // namespace heddle::isa::sketch
