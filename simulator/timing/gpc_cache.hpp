// The cache for code and constants that the SMs of a GPC share.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/line_cache.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/sm_places.hpp"

namespace heddle::simulator::timing {

// What the caches for code and constants need to know of a launch.
struct LaunchedKernel {
  std::uint32_t entry = 0;       // its first instruction
  std::uint32_t lines = 0;       // of its code
  std::uint32_t parameters = 0;  // where they begin in the bank with the launch's constants
  bool cold = false;             // L2 is empty
  bool kept = false;  // the launch before was of the same kernel, whose code is here and in the SMs
  std::size_t sms = 0;       // the first ones, which get blocks
  Cycle block_interval = 0;  // between the first blocks of SMs of a GPC
};

class GpcCache {
 public:
  // Before a launch: the beginning of the code and the bank with the launch's constants are
  // prefetched when it begins. `number`: of the GPC. `places`: of all SMs.
  GpcCache(const Constants& constants, const TimedProgram& program, const LaunchedKernel& kernel,
           std::uint32_t number, const std::vector<SmPlace>& places);

  // When a line is here for an SM that asks for it at `now`. `from_l2`: the SM's lines of code that
  // this cache lacks come one after another.
  Cycle code(std::uint32_t line, Cycle now, Server& from_l2);
  // When a line leaves for an SM that asks for it at `now`.
  Cycle constant(std::uint32_t line, Cycle now);
  // When the line will be here, as far as is known; kNever: nobody has asked.
  Cycle arrival(std::uint32_t line) const { return code_.arrival(line); }
  bool keeps_code() const { return kept_; }
  // Its SMs, in order.
  const std::vector<std::uint32_t>& sms() const { return sms_; }
  // By which lines leave for SMs of a CPC, one after another (places.*.begin.cold.* of
  // gpu/kernels/micro/timing/block_places.cu).
  Calendar& way_to(const SmPlace& sm) { return ways_[sm.cpc]; }

 private:
  void fetch_constants(std::uint32_t line, Cycle now);

  const Constants& constants_;
  const std::vector<ConstantLine>& constant_places_;
  const bool cold_, kept_;
  std::vector<std::uint32_t> sms_;
  LineCache code_, constant_lines_;
  std::vector<Calendar> ways_;  // by CPC
  Calendar constants_way_;      // one after another, for all SMs
};

}  // namespace heddle::simulator::timing
