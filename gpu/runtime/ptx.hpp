// PTX in a fat binary: compiled by the toolkit's ptxas where there is one, as the driver does it
// when a program brings no code that its GPU runs.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/runtime/error.hpp"
#include "isa/arch.hpp"
#include "isa/cubin.hpp"

namespace heddle::runtime {

// PTX that could not be compiled: CUDA's error for it, and why.
class PtxError : public std::runtime_error {
 public:
  PtxError(Error cuda_error, const std::string& why) : std::runtime_error(why), error(cuda_error) {}
  Error error;
};

// The PTX entries of which code for `arch` can be made: those for the newest GPU not above it. PTX
// for one GPU alone (.target sm_90a) goes before that for all (CUDA programming guide, "PTX
// Compatibility").
std::vector<isa::FatEntry> ptx_for(isa::Arch arch, std::span<const isa::FatEntry> entries);

// Empty: there is none (toolkit.hpp).
std::string find_ptxas();

// What a program asks of the compiler (cudaJitOption).
struct JitOptions {
  unsigned max_registers = 0;  // 0: as many as there are
  int level = -1;              // of optimization; -1: ptxas's own
  bool debug = false;
  bool relocatable = false;  // to be linked with other parts
};

// Their cubins for `arch`, with source lines where the PTX has them. `origin` names the program in
// messages. Throws PtxError.
std::vector<isa::FatEntry> compile_ptx(isa::Arch arch, std::span<const isa::FatEntry> ptx,
                                       const std::string& origin, const JitOptions& options = {});

}  // namespace heddle::runtime
