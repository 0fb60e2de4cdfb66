// What if the threads of a block were arranged anew at a branch, so that those that go the same way
// are in the same warps? Counts how often each side of a branch runs, and how often it would run at
// best: for n threads of a block, n / 32 times, rounded up.
//
// Threads are compared with those of their block that execute the branch for the same time: the
// third time one thread reaches a branch belongs to the third time of the others.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/launch/observer.hpp"

namespace heddle::traces {

struct Regrouped {
  struct Runs {
    std::uint64_t now = 0, best = 0;
  };
  Runs branch;   // executions of the branch itself: a loop's, when sorted by trip count
  Runs jumps;    // runs of what it jumps to
  Runs goes_on;  // runs of what comes after it
  // Rounds of a loop that this branch ends: warp instructions, and how many rounds.
  std::uint64_t trip_steps = 0, trips = 0;
  double trip_length() const {
    return trips == 0 ? 0 : static_cast<double>(trip_steps) / static_cast<double>(trips);
  }
};

class Regrouping {
 public:
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue);
  void block_ended(const simulator::BlockView& block);
  // By branch; of blocks that ended. A branch that a thread executes very often is not in it.
  const std::map<std::uint32_t, Regrouped>& branches() const { return branches_; }

 private:
  struct Time {
    std::uint32_t threads = 0, jumping = 0;          // of the block
    std::uint32_t runs = 0, jumps = 0, goes_on = 0;  // of its warps
  };
  struct Visits {
    std::uint32_t times = 0;
    bool around = false;     // it went where a loop goes on
    std::uint64_t last = 0;  // step of the warp
  };
  struct Branch {
    std::vector<std::array<Visits, simulator::kWarpSize>> visits;  // per warp and lane
    std::uint64_t trip_steps = 0, trips = 0;
    std::vector<Time> at;  // by how often a thread came there before
    bool too_often = false;
  };
  struct Block {
    std::vector<std::uint64_t> steps;  // of each warp
    std::map<std::uint32_t, Branch> branches;
  };
  std::unordered_map<std::uint64_t, Block> blocks_;  // those that run
  std::map<std::uint32_t, Regrouped> branches_;
};

}  // namespace heddle::traces
