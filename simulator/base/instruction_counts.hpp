// What is counted per instruction while a kernel runs. Every exact metric is computed from these
// sums and from the instruction's static attributes, after the launch
// (simulator/record/metrics.hpp).
#pragma once

#include <cstdint>

namespace heddle::simulator {

struct InstructionCounts {
  std::uint64_t executed = 0;    // warp-level executions
  std::uint64_t threads = 0;     // active threads, summed over executions
  std::uint64_t threads_on = 0;  // of those, with the guard predicate true
  // What the hardware's own counters add to these at this instruction (gpu/cupti/README.md): one
  // more execution where WARPSYNC reunites groups, one for each further target of an indirect
  // branch.
  std::uint64_t extra_executed = 0;
  std::uint64_t extra_threads = 0;
  // Of threads_on, those that a branch's condition beside its guard keeps from jumping (the P1 of
  // `@P0 BRA P1, …`): the hardware's counter takes both for the predicate.
  std::uint64_t threads_kept = 0;
  std::uint64_t branch_uniform = 0;    // executions after which all active lanes went one way
  std::uint64_t branch_divergent = 0;  // … went different ways
  // Memory. Generic accesses count under the space each lane resolved to; an execution whose lanes
  // resolved to several spaces counts in each.
  std::uint64_t global = 0, shared = 0, local = 0;       // executions that touched the space
  std::uint64_t threads_global = 0, threads_shared = 0;  // threads whose address lay there
  // Executions that touched the shared memory of another block of the cluster; those threads count
  // in nothing of `shared` (H200 records of a histogram and a ring over clusters).
  std::uint64_t dshared = 0;
  std::uint64_t sectors_global = 0, sectors_global_ideal = 0, tags_global = 0;
  std::uint64_t sectors_local = 0;
  std::uint64_t wavefronts_shared = 0, wavefronts_shared_ideal = 0;
  std::uint64_t bytes_global = 0;  // bytes threads asked for, for load and store efficiency
  // Executions with a cache policy that the program made itself: by what it asks for on a hit, and
  // those which ask for evict first on a miss (simulator/execute/cache_policy.hpp).
  std::uint64_t hit_normal = 0, hit_first = 0, hit_last = 0, hit_demote = 0, miss_first = 0;

  InstructionCounts& operator+=(const InstructionCounts& other);
};

}  // namespace heddle::simulator
