// A CUDA program run on the model: started with the libcudart stand-in, its records gathered.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/child.hpp"
#include "cli/record_follower.hpp"

namespace heddle::cli {

struct ProgramOptions {
  std::string gpu;                       // id of a model; empty: the stand-in's default
  std::optional<std::uint64_t> threads;  // host threads per launch
  std::optional<std::uint64_t> max_instructions;
  std::optional<std::uint64_t> max_memory;  // bytes of device memory
  std::optional<std::uint64_t> gpus;        // how many the program sees
  std::string timing;         // how launches are timed (timing::parse_options); empty: they are not
  std::string reconvergence;  // a policy's name; empty: the GPU's own
  std::string checks;         // what to look for (checks::parse_options); empty: nothing
  std::string capture;        // folder for capsules; empty: none
  std::string trace;          // an encoded traces::TraceRequest; empty: none
  std::vector<std::string> macros;  // of a .cu file, as nvcc's -D takes them
  std::string record;               // file of the record (RecordFollower); empty: none is written
  bool per_instruction = false;
  bool memory_digests = false;
  bool host_time = false;  // with what the host took for each launch, in the record
  bool counters = false;   // as simulator::LaunchOptions::counters
  bool progress = false;   // of long launches, on stderr
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
