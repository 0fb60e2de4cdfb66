// What the `heddle` command tells the stand-in, through the environment of the program it starts
// (gpu/runtime/README.md lists the variables).
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simulator/launch/launch_settings.hpp"

namespace heddle::runtime {

struct Options {
  std::string gpu;                // HEDDLE_GPU: id of a GPU model; empty: by the program's code
  std::string record_stream;      // HEDDLE_RECORD_STREAM: file for the launches' records
  int record_fd = -1;             // HEDDLE_RECORD_FD: or a descriptor that is open already
  std::string capture_directory;  // HEDDLE_CAPTURE: directory for launch capsules
  std::string capture_kernel;     // HEDDLE_CAPTURE_KERNEL: of this kernel alone; empty: of all
  std::string trace;              // HEDDLE_TRACE_REQUEST: a traces::TraceRequest
  simulator::LaunchSettings launches{.threads = 0};  // HEDDLE_LAUNCHES: how they execute
  std::uint64_t max_memory = 0;  // HEDDLE_MAX_MEMORY: bytes of device memory; 0: the GPU's
  unsigned gpus = 1;             // HEDDLE_GPUS: how many the program sees
  bool per_pc = false;           // HEDDLE_PER_PC: records with every instruction
  bool progress = false;         // HEDDLE_PROGRESS: tell on stderr how far a long launch is
  bool memory_digests = false;   // HEDDLE_MEMORY_DIGESTS: records with digests of allocations
};

class OptionsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws OptionsError naming the variable. `lookup` is getenv or a stand-in for it.
Options options_from_environment(const char* (*lookup)(const char* name));

// All the variables; empty ones count as not set.
std::map<std::string, std::string> environment_of(const Options& options);

// "%p" becomes the process, "%%" a percent sign.
std::string expand_process(std::string_view pattern, long process);

}  // namespace heddle::runtime
