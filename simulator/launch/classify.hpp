// Whether a launch's results may depend on the order in which warps ran, judged by what it
// executed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.hpp"
#include "simulator/launch/kernel_code.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::simulator {

// What classify asks about the instructions of a program. Each is looked at when it has executed
// for the first time: programs launch one kernel many thousand times. For one thread at a time.
class OrderTraits {
 public:
  enum class Reason : std::uint8_t {
    none,
    barrier_test,
    compare_and_swap,
    exchange,
    float_atomic,
    atomic_result,
    float_reduction,
    active_mask,
    cancelled_block,
    time_or_place
  };
  // Whose memory it writes, other than by an atomic.
  enum class Writes : std::uint8_t { own, of_block, of_grid };
  struct Traits {
    bool known = false;
    Reason reason = Reason::none;
    Writes writes = Writes::own;
  };

  // The program must outlive it.
  explicit OrderTraits(const isa::Program& program) : program_(program) {}
  const Traits& of(std::uint32_t pc);

 private:
  const isa::Program& program_;
  std::vector<Traits> traits_;  // by pc
};

// `warps`: of the launch; `warps_per_block`.
LaunchClass classify(OrderTraits& traits, const LaunchCounts& counts, std::uint64_t warps,
                     std::uint64_t warps_per_block);

// Not empty when some instruction of the module can see how blocks interleave; its own text says
// which.
std::string sees_order(const isa::Program& program);

// Whether a kernel's code reads what tells time or place: a clock counts what its core has
// executed.
bool tells_time(const isa::Program& program, const std::vector<InstructionRange>& code);

// Whether a kernel's blocks may take over the work of blocks that then never begin.
bool cancels_blocks(const isa::Program& program, const std::vector<InstructionRange>& code);

// Whether a kernel's code has instructions that UnorderedReads judges: strong loads, or both loads
// and reductions of global memory.
bool may_read_unordered(const isa::Program& program, const std::vector<InstructionRange>& code);

// Whether it has branches that can lead the lanes of a warp to different places.
bool may_part_lanes(const isa::Program& program, const std::vector<InstructionRange>& code);

}  // namespace heddle::simulator
