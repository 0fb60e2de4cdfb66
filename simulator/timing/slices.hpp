// Timing slices of a launch whose waves are too long to be timed (--sample 20M).
//
// A launch is begun as always. Where it has not ended after half of the instructions, blocks spread
// over the grid are executed whole and untimed: they say how many instructions the launch has, and
// all that is counted; what they wrote is put back. A launch of few times the instructions goes on
// as it began. The rest of a longer one is not executed. Instead waves of blocks spread over the
// grid are executed untimed up to a part of their length, the first a tenth, the last nine tenths,
// or less where that would be too long, and timed from there: half of a slice fills the caches, the
// other half is measured. All blocks of a wave are at the same place, as blocks that begin together
// stay together where they do the same. Where a slice is longer than two waves its blocks are begun
// at their beginning. What the launch took while it was timed from its beginning counts as it was;
// behind that, cycles are instructions times cycles an instruction; those of the last wave, which
// leaves places empty, are taken from a slice of such a wave.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/launch/launch_counts.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class Slices {
 public:
  // About `instructions` are timed in all; `resident`: blocks in a wave.
  Slices(std::uint64_t instructions, std::uint64_t blocks, std::uint64_t resident);

  static constexpr std::uint64_t kFullWaves = 5;
  static constexpr std::uint64_t kLeastTimes = 5;  // instructions of a launch that is sliced
  static constexpr std::uint64_t kLeastCounted = 16, kMostCounted = 64;  // blocks

  // That are timed before the launch is taken to be long.
  std::uint64_t instructions_at_first() const { return budget_ / 2; }
  // What was then timed.
  void add_beginning(Cycle cycles, Result sums);

  // Blocks to execute whole, in order, where one has about `instructions_in_one` instructions.
  struct Stratum {
    std::uint64_t block = 0;
    std::uint64_t stands_for = 0;  // blocks
  };
  std::vector<Stratum> to_be_counted(std::uint64_t instructions_in_one) const;
  void add_counted(const Stratum& stratum, const LaunchCounts& counts);

  // Of a launch so short slices show little but how its caches fill. Once blocks have been counted.
  bool too_short() const;

  // Blocks that are begun together, and how a slice of them is timed.
  struct Wave {
    std::uint64_t first = 0, blocks = 0;
    double part = 0;                 // of their length, that comes before the slice
    std::uint64_t before = 0;        // instructions of each
    std::uint64_t instructions = 0;  // of the slice
  };
  // Once blocks have been counted.
  std::vector<Wave> waves() const;
  // How far they reach into the length of their blocks.
  double reach() const;
  // What `cycles` of the wave added to the sums.
  void add_measured(const Wave& wave, Cycle cycles, const Result& before, const Result& after);

  // All sums become those of the launch. `overhead`: cycles before and behind its blocks.
  void fill(Result& result, Cycle overhead) const;
  const LaunchCounts& counts() const { return counts_; }

 private:
  struct Estimate {
    double cycles = 0, half_width = 0;
  };
  Estimate cycles() const;
  double length() const;  // of a block, in instructions
  double in_a_slice() const;
  double behind() const;
  Wave wave(std::uint64_t first, std::uint64_t blocks, double part) const;
  void shorten(std::vector<Wave>& waves) const;

  std::uint64_t blocks_, wave_, budget_;
  std::uint64_t rest_;           // blocks of the last wave, if it is not full
  std::vector<double> pace_;     // cycles an instruction, by full wave that was measured
  double rest_pace_ = 0;         // of the last wave; 0: it was not measured
  std::vector<double> lengths_;  // instructions of the blocks that were counted
  LaunchCounts counts_;
  Result measured_;
  Cycle beginning_cycles_ = 0;
  Result beginning_;
};

}  // namespace heddle::simulator::timing
