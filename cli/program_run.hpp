// A CUDA program run on the model: started with the libcudart stand-in, its records gathered.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/child.hpp"
#include "cli/record_follower.hpp"
#include "gpu/runtime/options.hpp"

namespace heddle::cli {

struct ProgramOptions {
  runtime::Options process;         // what the stand-in is told; where records go is added
  std::vector<std::string> macros;  // of a .cu file, as nvcc's -D takes them
  std::string record;               // file of the record (RecordFollower); empty: none is written
  bool host_time = false;           // with what the host took for each launch, in the record
  std::optional<std::chrono::milliseconds> limit;
  Redirection to;
};

struct ProgramRun {
  ChildResult child;
  bool has_cuda = true;  // runtime::ProgramCheck::has_cuda
  // Of each process that launched a kernel, in order of process number; one without launches where
  // none did.
  std::vector<ProcessRecord> processes;
};

// A program that is a .cu file is compiled first. Throws std::runtime_error where the program
// cannot run with the stand-in, with what to do.
ProgramRun run_on_model(const std::vector<std::string>& program, const ProgramOptions& options);

}  // namespace heddle::cli
