// What all SMs of a launch share that one host thread runs.
#pragma once

#include <cstdint>

#include "simulator/execute/machine.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/prints_in_progress.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/row_prefetch.hpp"
#include "simulator/timing/scheduler.hpp"
#include "simulator/timing/source.hpp"

namespace heddle::simulator::timing {

struct SmContext {
  const Constants& constants;
  const TimedProgram& program;
  const RowsAhead& rows_ahead;
  Core& core;
  InstructionSource& source;
  std::uint64_t& clock;  // what the core reads as time
  std::uint64_t clock_start = 0;
  Pick pick;
  bool picks_by_wait;      // the policy asks which warps wait for memory
  StallCycles* stalls_at;  // by instruction
  PrintsInProgress prints{};
  Server heap{};  // of device malloc: one for the chip
  bool allocated = false;
  // When the driver's code of printf is near, once it has been called, and that of arguments.
  Cycle print_code = kNever, print_arguments = kNever;
};

}  // namespace heddle::simulator::timing
