// Running one kernel launch: what goes in and what comes out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/program.hpp"
#include "simulator/base/types.hpp"
#include "simulator/checks/finding.hpp"
#include "simulator/launch/launch_counts.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/timing/options.hpp"
#include "simulator/timing/result.hpp"
#include "simulator/warp/reconvergence_policies.hpp"

namespace heddle::simulator {

struct LoweredProgram;  // simulator/execute/machine.hpp
class Observer;         // simulator/launch/observer.hpp

namespace checks {
class Checks;  // simulator/checks/checks.hpp
}

// A cubin loaded on a device: code placed, globals allocated and initialised.
class Module {
 public:
  // Throws isa::CubinError; std::bad_alloc when globals do not fit. `elsewhere`: the same code on
  // another GPU, whose managed variables are this one's too; null: there is none.
  Module(std::vector<std::byte> cubin_bytes, std::string origin, DeviceMemory& memory,
         const Module* elsewhere = nullptr);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const isa::Cubin& cubin() const { return cubin_; }
  const isa::Program& program() const { return program_; }
  const std::vector<std::byte>& cubin_bytes() const { return bytes_; }
  const std::string& origin() const { return origin_; }
  // Device address and size of a __device__ or __constant__ variable. Constant bank 3 is what lies
  // at constant_bank3_address when a launch starts; constant_bank3 shows it.
  struct Global {
    std::uint64_t address;
    std::uint64_t bytes;
    bool is_constant;
  };
  std::optional<Global> find_global(std::string_view name) const;
  std::span<std::byte> constant_bank3();
  std::uint64_t constant_bank3_address() const { return bank3_.address; }  // 0: there is none
  // The allocations it made, in the order of their sections.
  std::span<const std::uint64_t> global_allocations() const { return global_sections_; }
  // Whether the cubin has a function's address put into this word of a __device__ variable: such
  // words differ wherever code lies elsewhere.
  bool holds_code_address(std::uint64_t device_address) const;
  // Source position of a code address; line tables are read when first asked for.
  struct Position {
    std::string function, file;
    std::uint32_t line = 0;
    std::string inlined_function;
  };
  std::optional<Position> position(std::uint64_t code_address) const;
  // The module's instructions made ready to execute; done when first asked for.
  const LoweredProgram& lowered() const;
  std::string code_sha256() const;  // over every .text section as in the file, before relocation

 private:
  std::vector<std::byte> bytes_;
  std::string origin_;
  isa::Cubin cubin_;
  isa::Program program_;
  DeviceMemory& memory_;
  std::map<std::string, Global, std::less<>> globals_;
  struct {
    std::uint64_t address = 0, bytes = 0;
  } bank3_;
  std::vector<std::uint64_t> global_sections_;  // allocations this module made
  std::vector<std::uint64_t> code_words_;       // sorted; see holds_code_address
  mutable std::map<std::uint32_t, isa::LineTable> lines_;
  mutable std::shared_ptr<const LoweredProgram> lowered_;
};

struct LaunchRequest {
  Module* module = nullptr;
  const isa::Kernel* kernel = nullptr;
  Dim3 grid, block, cluster;
  bool explicit_cluster = false;  // clusters were asked for, if of one block each
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::byte> parameters;  // as laid out in the constant bank, from the first parameter
};

// A fault of the simulated kernel.
struct Fault {
  enum class Kind : std::uint8_t {
    illegal_address,
    misaligned_address,
    illegal_instruction,
    unsupported_instruction,
    trap,
    assert_,
    deadlock,
    instruction_limit,
    stack_overflow,
    invalid_pc,
    interrupted,
  };
  Kind kind{};
  std::string kernel;
  Dim3 block_index{0, 0, 0};
  std::uint32_t warp = 0;  // in the block
  Mask lanes = 0;
  Dim3 thread{0, 0, 0};  // the lowest lane's threadIdx
  std::uint64_t pc = 0;  // byte offset in `function`; the code address where that is empty
  std::string function;
  std::string source;         // "file.cu:12", empty when unknown
  std::uint64_t address = 0;  // memory faults
  std::uint32_t access_bytes = 0;
  std::string instruction;      // its text
  std::string details;          // nearest allocation; what each warp waits for; …
  std::string message() const;  // all of it, over several lines
};

// Whether what is counted depends on the order in which warps run, and why.
struct LaunchClass {
  std::vector<std::string> order_dependent_because;  // empty: determined
  bool determined() const { return order_dependent_because.empty(); }
};

// How far a launch is.
struct LaunchProgress {
  std::uint64_t blocks_ended = 0, blocks = 0;
  std::uint64_t warp_instructions = 0;  // issued so far
};

// A launch in which no warp gets on: each that could run goes round in a loop that only a change of
// memory can end.
struct Standstill {
  std::string kernel;
  std::vector<std::uint64_t> addresses;  // of that memory
  std::string description;               // which blocks wait for what; several lines
};

struct LaunchOptions {
  unsigned threads = 1;                // host threads; 0: all cores
  std::uint64_t max_instructions = 0;  // warp instructions in this launch; 0: no limit
  // Called with the text that device printf has printed, when the launch has ended.
  std::function<void(std::string_view)> print;
  Observer* observer = nullptr;  // simulator/launch/observer.hpp; the launch runs on one thread
  // Called every few million warp instructions, by one thread at a time; false stops the launch.
  std::function<bool(const LaunchProgress&)> watch = nullptr;
  // Called at a standstill again and again until the memory changes: others may change it
  // meanwhile. False, or null: nobody else can, it is a deadlock.
  std::function<bool(const Standstill&)> wait = nullptr;
  // The launch is timed, on one thread; needs a model with timing constants.
  std::optional<timing::Options> timing = std::nullopt;
  std::optional<ReconvergencePolicy> reconvergence = std::nullopt;  // nothing: the model's own
  checks::Checks* checks = nullptr;  // observe too, beside `observer`
  // What hardware's counters see is wanted where that differs from what is counted by instruction:
  // such a launch is executed twice, where it can be.
  bool counters = false;
};

struct LaunchOutcome {
  LaunchCounts counts;  // by instruction: as a profiler takes them, by patching the code
  // The same of code without patches, which hardware's counters see: where it differs, was wanted,
  // and could be had.
  std::optional<LaunchCounts> unpatched;
  std::uint64_t warps = 0;
  std::optional<Fault> fault;
  LaunchClass launch_class;
  std::vector<std::string> unmodelled;  // approximations that this launch used
  // Hardware counters see more than what was counted here: `unmodelled` says why.
  bool counters_incomplete = false;
  std::string threads_note;  // why it fell back to one thread, if it did
  std::optional<timing::Result> timing;
  std::vector<checks::Finding> findings;  // of LaunchOptions::checks
  std::uint64_t printed_calls_lost = 0;   // of printf, the oldest, for which there was no room
};

// A simulated GPU: a model and its memory. One launch runs at a time.
class Device {
 public:
  explicit Device(const GpuModel& model, GpuPlace place = {});
  ~Device();
  const GpuModel& model() const;
  const GpuPlace& place() const;
  DeviceMemory& memory();
  // CUDA's launch-configuration rules; the name of the CUDA error ("cudaErrorInvalidConfiguration",
  // "cudaErrorLaunchOutOfResources" …) and why, or nothing when the launch is possible.
  struct Refusal {
    std::string cuda_error;
    std::string why;
  };
  std::optional<Refusal> check(const LaunchRequest& request) const;
  LaunchOutcome launch(const LaunchRequest& request, const LaunchOptions& options);
  // Makes the heap, of heap_bytes, if the module's code calls malloc and there is none; a launch
  // does it too. Throws std::bad_alloc when memory is full.
  void prepare(const Module& module);
  // Bytes of device printf output that may be pending; per-thread stack limit; bytes of the
  // heap that malloc in device code gives from. CUDA's defaults.
  std::uint64_t printf_bytes;
  std::uint64_t stack_limit = 1024;
  // Bytes of stack that a thread has, unless its kernel needs more: local memory that was enlarged
  // for a kernel is kept for later ones. (cudaDeviceLmemResizeToMax, of which CUDA's documentation
  // says that it is always so. Seven launches of code for debugging that calls itself, and traps
  // where its stack ends: three behind a kernel of larger frames end well on an H200, four trap.)
  std::uint64_t stack_bytes() const { return std::max(stack_limit, kept_frames_); }
  std::uint64_t heap_bytes = 8 << 20;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::uint64_t kept_frames_ = 0;  // bytes; the largest of the kernels launched so far
};

}  // namespace heddle::simulator
