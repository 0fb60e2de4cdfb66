// One launch, timed: blocks are given to SMs, SMs run, L2 and DRAM answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "simulator/launch/timing_options.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/run/run_blocks.hpp"
#include "simulator/timing/memory_system.hpp"

namespace heddle::simulator::timing {

class InstructionSource;  // simulator/timing/source.hpp
class SharedAccesses;     // simulator/timing/shared_accesses.hpp
struct TimedCode;         // simulator/timing/timed_code.hpp

struct TimedRun {
  BlockRun run;
  Result result;
  std::uint64_t shared_quanta = 0;  // of time, whose SMs ran on several host threads
};

// What lasts from one launch to the next: the time, and where that has the same GPU and constants,
// L2's contents and what is known of code.
struct DeviceTime {
  std::optional<MemorySystem> memory;
  std::vector<std::shared_ptr<const TimedCode>> code;  // used last before others
  std::uint64_t cycles = 0;                            // since the device began
  const isa::Kernel* last_kernel = nullptr;            // whose code SMs have
  std::shared_ptr<SharedAccesses> accesses;            // for launches on several host threads
  // Kernels that write what they read: all their reads are noted.
  std::set<const isa::Kernel*> note_reads;
};

// The model's constants with the options' overrides. Throws std::invalid_argument naming the
// constant that there is not, or a model that has none.
Constants constants_for(const GpuModel& model, const Options& options);

// Why a launch of clusters cannot be timed on the SMs of `options`; empty: it can.
std::string why_not_timed(const LaunchContext& context, const Options& options,
                          std::uint32_t blocks_per_sm);

// `blocks_per_sm`: as many as fit. `source`: null: instructions are executed as they issue; else it
// runs on the calling thread alone. `alone`: warp instructions before others join that; nothing:
// as the launch's options have it.
TimedRun run_timed(const LaunchContext& context, const Options& options,
                   std::uint32_t blocks_per_sm, DeviceTime& device,
                   InstructionSource* source = nullptr, std::optional<std::uint64_t> alone = {});

}  // namespace heddle::simulator::timing
