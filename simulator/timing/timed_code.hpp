// What the model works out of a module's code: launch after launch has the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "simulator/timing/launch.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/row_prefetch.hpp"

namespace heddle::simulator::timing {

struct TimedCode {
  using BankBytes = std::array<std::uint32_t, ConstantLines::kBanks>;
  TimedCode(const LaunchContext& context, const Constants& constants, const BankBytes& bytes);
  bool is_of(const LaunchContext& context, const BankBytes& bytes) const;

  const Module* const module;  // another one with other code may lie there later
  const std::string sha256;
  const BankBytes bank_bytes;
  const TimedProgram program;
  const RowsAhead rows_ahead;
};

// The code of the launch, as one before had it on the device, if one had. `constants`: those of the
// device's memory.
std::shared_ptr<const TimedCode> timed_code(const LaunchContext& context,
                                            const Constants& constants, DeviceTime& device);

}  // namespace heddle::simulator::timing
