// Timing slices of a launch whose waves are too long to be timed (--sample 20M).
//
// A launch is begun as always. Where it has not ended after a quarter of the instructions, the rest
// of it is not executed. Instead blocks spread over the grid are executed whole and untimed: they
// say how many instructions the launch has, and all that is counted. Then waves of blocks spread
// over the grid are executed untimed up to a part of their length, the first a tenth, the last nine
// tenths, and timed from there: half of a slice fills the caches, the other half is measured. All
// blocks of a wave are at the same place, as blocks that begin together stay together where they do
// the same. Cycles are instructions times cycles an instruction; those of the last wave, which
// leaves places empty, are taken from a slice of such a wave.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/counts.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/result.hpp"

namespace heddle::simulator::timing {

class Slices {
 public:
  // About `instructions` are timed in all; `resident`: blocks in a wave.
  Slices(std::uint64_t instructions, std::uint64_t blocks, std::uint64_t resident);

  static constexpr std::uint64_t kFullWaves = 5;
  static constexpr std::uint64_t kLeastCounted = 16, kMostCounted = 64;  // blocks

  // That are timed before the launch is taken to be long; and in each slice.
  std::uint64_t instructions_at_first() const { return budget_ / 4; }
  std::uint64_t instructions_each() const { return each_; }

  // Blocks that are to be executed whole, where one has about so many instructions; in order.
  struct Stratum {
    std::uint64_t block = 0;
    std::uint64_t stands_for = 0;  // blocks
  };
  std::vector<Stratum> to_be_counted(std::uint64_t instructions_in_one) const;
  void add_counted(const Stratum& stratum, const std::vector<InstructionCounts>& counts);

  struct Wave {
    std::uint64_t first = 0, blocks = 0;
    double part = 0;  // of their length
  };
  const std::vector<Wave>& waves() const { return waves_; }
  // Instructions of a block up to there.
  std::uint64_t length_until(const Wave& wave) const;
  // What `cycles` of waves()[index] added to the sums.
  void add_measured(std::size_t index, Cycle cycles, const Result& before, const Result& after);

  // All sums become those of the launch. `overhead`: cycles before and behind its blocks.
  void fill(Result& result, Cycle overhead) const;
  const std::vector<InstructionCounts>& counts() const { return counts_; }

 private:
  struct Estimate {
    double cycles = 0, half_width = 0;
  };
  Estimate cycles() const;

  std::uint64_t blocks_, wave_, budget_, each_ = 0;
  std::vector<Wave> waves_;
  std::vector<double> pace_;     // cycles an instruction, by wave; 0: nothing was measured
  std::vector<double> lengths_;  // instructions of the blocks that were counted
  std::vector<InstructionCounts> counts_;
  Result measured_;
};

}  // namespace heddle::simulator::timing
