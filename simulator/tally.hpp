// What a core has counted, instruction by instruction.
//
// Most instructions execute in stretches: one after the other, by the same threads. A stretch is
// noted at its two ends alone and spread over its instructions when the launch is over, so that
// executing an instruction costs no counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/counts.hpp"

namespace heddle::simulator {

class Tally {
 public:
  explicit Tally(std::size_t instructions) : sums_(instructions), edges_(instructions + 1) {}

  // To add to. What stretches give is not in it yet.
  InstructionCounts& operator[](std::uint32_t pc) { return sums_[pc]; }

  // The instructions from `first` to before `end` were executed once, each by `threads` threads
  // whose guards held but for those that take_off names.
  void add_stretch(std::uint32_t first, std::uint32_t end, unsigned threads) {
    edges_[first].executed += 1;
    edges_[first].threads += threads;
    edges_[end].executed -= 1;
    edges_[end].threads -= threads;
  }
  // Sums may be below zero until they are taken, as unsigned numbers are.
  void take_off(std::uint32_t pc, unsigned threads) { sums_[pc].threads_on -= threads; }

  // Everything; leaves nothing behind.
  std::vector<InstructionCounts> take() {
    Edge at;
    for (std::size_t pc = 0; pc < sums_.size(); ++pc) {
      at.executed += edges_[pc].executed;
      at.threads += edges_[pc].threads;
      sums_[pc].executed += at.executed;
      sums_[pc].threads += at.threads;
      sums_[pc].threads_on += at.threads;
    }
    edges_.clear();
    return std::move(sums_);
  }

 private:
  // How much more often than the instruction before, in stretches.
  struct Edge {
    std::uint64_t executed = 0, threads = 0;
  };
  std::vector<InstructionCounts> sums_;
  std::vector<Edge> edges_;  // one more than there are instructions
};

}  // namespace heddle::simulator
