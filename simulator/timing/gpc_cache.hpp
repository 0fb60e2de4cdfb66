// The cache for code and constants that the SMs of a GPC share.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/line_cache.hpp"
#include "simulator/timing/program.hpp"

namespace heddle::simulator::timing {

class GpcCache {
 public:
  // Before a launch that begins at instruction `entry`: the beginning of the code and the bank with
  // the launch's parameters are prefetched when the launch begins. `kernel_lines`: of its code.
  // `cold`: L2 is empty. `number`: of the GPC.
  GpcCache(const Constants& constants, const TimedProgram& program, std::uint32_t entry,
           std::uint32_t kernel_lines, bool cold, std::uint32_t number);

  // When a line is here for an SM that asks for it at `now`. `from_l2`: the SM's lines of code that
  // this cache lacks come one after another.
  Cycle code(std::uint32_t line, Cycle now, Server& from_l2);
  // When a line of code that is here leaves for an SM that can take it from `now` on.
  Cycle leave(Cycle now) { return port_.take(now); }
  // When a line leaves.
  Cycle constant(std::uint32_t line, Cycle now);
  // When the line will be here, as far as is known; kNever: nobody has asked.
  Cycle arrival(std::uint32_t line) const { return code_.arrival(line); }

 private:
  void fetch_constants(std::uint32_t line, Cycle now);

  const Constants& constants_;
  const std::vector<ConstantLine>& constant_places_;
  const bool cold_;
  LineCache code_, constant_lines_;
  Calendar port_;
};

}  // namespace heddle::simulator::timing
