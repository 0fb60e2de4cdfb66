// What the timing model tells of one launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::simulator::timing {

// Why a warp did not issue in a cycle, with Nsight Compute's names (`selected`: it did).
#define HEDDLE_STALLS(X)                                                                   \
  X(selected, "the warp issued an instruction")                                            \
  X(not_selected, "ready, but the scheduler picked another warp")                          \
  X(wait, "waiting for a fixed latency, as the compiler's stall count says")               \
  X(long_scoreboard, "waiting for global, local, texture or surface memory")               \
  X(short_scoreboard,                                                                      \
    "waiting for shared memory, a special function or another result of variable latency") \
  X(math_pipe_throttle, "the pipe of the next instruction is busy")                        \
  X(dispatch_stall, "the registers of the next instruction cannot be read in time")        \
  X(mio_throttle, "the queue for shared memory and special functions is full")             \
  X(lg_throttle, "the queue for global and local memory is full")                          \
  X(tex_throttle, "the queue for textures is full")                                        \
  X(barrier, "waiting for other warps at a block barrier")                                 \
  X(membar, "waiting for a memory barrier")                                                \
  X(branch_resolving, "waiting for the target of a branch")                                \
  X(no_instruction, "the next instruction is not in the cache yet")                        \
  X(imc_miss, "a constant is not in the cache yet")                                        \
  X(drain, "exited; waiting for its stores to finish")                                     \
  X(sleeping, "sleeping in NANOSLEEP")                                                     \
  X(misc, "anything else")                                                                 \
  X(gmma, "waiting for a warp-group matrix instruction")

enum class Stall : std::uint8_t {
#define HEDDLE_STALL(name, meaning) name,
  HEDDLE_STALLS(HEDDLE_STALL)
#undef HEDDLE_STALL
      count_
};
inline constexpr std::size_t kStalls = static_cast<std::size_t>(Stall::count_);

constexpr std::string_view stall_name(Stall stall) {
  constexpr std::string_view kNames[] = {
#define HEDDLE_STALL(name, meaning) #name,
      HEDDLE_STALLS(HEDDLE_STALL)
#undef HEDDLE_STALL
  };
  return kNames[static_cast<std::size_t>(stall)];
}

// Cycles that warps spent in each state.
using StallCycles = std::array<std::uint64_t, kStalls>;

// Sums over sectors of 32 bytes.
struct Lookups {
  std::uint64_t sectors = 0, hits = 0;
  Lookups& operator+=(const Lookups& other) {
    sectors += other.sectors;
    hits += other.hits;
    return *this;
  }
};

struct Traffic {
  Lookups l1_global_load, l1_global_store, l1_local, l1_atomic;
  Lookups l2_read, l2_write, l2_atomic;
  std::uint64_t dram_sectors_read = 0, dram_sectors_written = 0;
  Traffic& operator+=(const Traffic& other);
};

struct Result {
  std::uint32_t sms = 0, sub_cores = 0, warp_slots_per_sm = 0;
  std::uint64_t elapsed = 0;      // cycles of the launch
  std::uint64_t active_sum = 0;   // cycles with a warp on the SM, over all SMs
  std::uint64_t active_max = 0;   // the same, of the SM that has most
  std::uint64_t issued = 0;       // warp instructions; also sub-core cycles in which one issued
  std::uint64_t warp_cycles = 0;  // cycles of warps on SMs, summed over warps
  StallCycles stalls{};
  std::vector<StallCycles> stalls_at;  // by instruction, as in Program::instructions
  Traffic traffic;
  double clock_hz = 0;
  bool as_given = false;  // the GPU, and how it is timed, are as the model's file says
  // Only some blocks were timed, and everything was scaled.
  struct Sampled {
    std::uint64_t blocks_timed = 0, blocks = 0;
    double half_width = 0;  // cycles: of the 95 % interval around `elapsed`
    // Where slices of waves were timed: how many, warp instructions in them, and blocks that were
    // executed to count the launch's. What others would have left in memory is not there.
    std::uint32_t slices = 0;
    std::uint64_t instructions_timed = 0, blocks_executed = 0;
  };
  std::optional<Sampled> sampled;
  std::string note;  // why it was not sampled, though that was asked for
};

}  // namespace heddle::simulator::timing
