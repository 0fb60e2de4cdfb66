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
#include "simulator/base/mask.hpp"
#include "simulator/base/types.hpp"
#include "simulator/launch/finding.hpp"
#include "simulator/launch/launch_counts.hpp"
#include "simulator/launch/launch_settings.hpp"
#include "simulator/launch/module.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator {

class Observer;  // simulator/launch/observer.hpp

namespace checks {
class Checks;  // simulator/checks/checks.hpp
}

struct LaunchRequest {
  Module* module = nullptr;
  const isa::Kernel* kernel = nullptr;
  Dim3 grid, block, cluster;
  bool explicit_cluster = false;  // clusters were asked for, if of one block each
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  // What the kernel prefers of the most shared memory an SM can have, in percent; none: what the
  // blocks need that fit.
  std::optional<std::uint8_t> preferred_carveout = {};
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
    launch_failure,  // what has no error of its own: a barrier that more arrive at than it expects
    invalid_pc,
    interrupted,
  };
  Kind kind{};
  std::string kernel;
  Dim3 block_index{0, 0, 0};
  std::uint32_t warp = 0;  // in the block
  Mask lanes{};
  Dim3 thread{0, 0, 0};  // the lowest lane's threadIdx
  std::uint64_t pc = 0;  // byte offset in `function`; the code address where that is empty
  std::string function;
  std::string source;              // "file.cu:12", empty when unknown
  std::vector<std::string> calls;  // the lines that `source` is inlined at, the innermost first
  std::uint64_t address = 0;       // memory faults
  std::uint32_t access_bytes = 0;
  std::string instruction;      // its text
  std::string details;          // nearest allocation; what each warp waits for; …
  std::string message() const;  // all of it, over several lines
};

// Whether what is counted depends on the order in which warps run, and why.
struct LaunchClass {
  std::vector<std::string> order_dependent_because;  // empty: determined, where nothing races
  // No two warps can race, or --check races found none; not looked for; a race was found.
  enum class Races : std::uint8_t { none, not_checked, found };
  Races races = Races::none;
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
  LaunchSettings settings = {};
  // Called with the text that device printf has printed, when the launch has ended.
  std::function<void(std::string_view)> print;
  Observer* observer = nullptr;  // simulator/launch/observer.hpp; the launch runs on one thread
  // Called every few million warp instructions, by one thread at a time; false stops the launch.
  std::function<bool(const LaunchProgress&)> watch = nullptr;
  // Called at a standstill again and again until the memory changes: others may change it
  // meanwhile. False, or null: nobody else can, it is a deadlock.
  std::function<bool(const Standstill&)> wait = nullptr;
  // Observe too, beside `observer`. Whoever launches makes them, as settings.checks says: they know
  // what the launches before have written.
  checks::Checks* checks = nullptr;
};

struct LaunchOutcome {
  // By instruction: of code patched as by a profiler, or of the program's own code, as in a timed
  // launch, where `counts_own_code`.
  LaunchCounts counts;
  bool counts_own_code = false;
  // The same of code without patches, which hardware's counters see: where it differs, was wanted,
  // and could be had.
  std::optional<LaunchCounts> unpatched;
  std::uint64_t warps = 0;
  std::optional<Fault> fault;
  LaunchClass launch_class;
  std::vector<std::string> unmodelled;  // approximations that this launch used
  // Hardware counters see more than what was counted here: `unmodelled` says why.
  bool counters_incomplete = false;
  std::optional<std::uint64_t> random_schedule;  // as LaunchSettings'
  std::string threads_note;                      // why it fell back to one thread, if it did
  std::optional<timing::Result> timing;
  std::vector<checks::Finding> findings;  // of LaunchOptions::checks
  std::uint64_t printed_calls_lost = 0;   // of printf, the oldest, for which there was no room
};

}  // namespace heddle::simulator
