// Timing some waves of a long launch and scaling what they took (--sample).
//
// Waves of blocks, as many as the GPU holds, are timed in a few runs spread over the grid; the
// blocks between them are executed and not timed, while those that are timed stand still. So SMs
// stay full, and memory holds in the end what it should. What a wave takes is then taken from the
// blocks' ends while every place was filled again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/launch/timing_result.hpp"
#include "simulator/run/run_blocks.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class Sample {
 public:
  // `part`: of the waves, above 0; at least kLeastWaves are timed. `resident`: blocks in a wave.
  Sample(std::uint64_t blocks, std::uint64_t resident, double part);

  static constexpr std::uint64_t kLeastWaves = 8;
  static constexpr std::uint64_t kWavesInARun = 3;  // at least
  // Of what is left out: waves that are timed miss how far warps drift apart in a whole launch,
  // which made 0.4 to 1.2 % in the kernels of its test.
  static constexpr double kDrift = 0.015;

  // Blocks that are not timed, in order; none where the launch is too short to leave any out.
  const std::vector<BlockRange>& left_out() const { return left_out_; }
  std::uint64_t timed_blocks() const { return timed_; }

  struct Extra {
    double cycles = 0;      // that the waves left out would have taken
    double half_width = 0;  // of the 95 % interval around it
  };
  // `ends`: when timed blocks ended, in order of time.
  Extra extra(const std::vector<Cycle>& ends) const;

 private:
  std::uint64_t blocks_, resident_, timed_;
  std::vector<BlockRange> left_out_;
};

inline constexpr Lookups Traffic::*kLookups[] = {
    &Traffic::l1_global_load, &Traffic::l1_global_store, &Traffic::l1_local, &Traffic::l1_atomic,
    &Traffic::l2_read,        &Traffic::l2_write,        &Traffic::l2_atomic};

// All sums but cycles become as many times larger.
void scale_sums(Result& result, double factor);

// Sums over the timed blocks become sums over all; cycles grow by `extra`.
void scale(Result& result, const Sample& sample, const Sample::Extra& extra, std::uint64_t blocks);

// What is to be said of a launch that was sampled, or was not although that was asked for; else
// empty.
std::string note_on_sample(const Result& result);

}  // namespace heddle::simulator::timing
