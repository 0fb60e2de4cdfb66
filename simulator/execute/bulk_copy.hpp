// Runs of bytes that one instruction of sm_90 moves, and stores that count their bytes at a
// barrier.
#pragma once

#include "simulator/execute/barrier_update.hpp"
#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// As the families of simulator/execute/machine.hpp.
Execute lower_bulk(const isa::Instruction& instruction, Step& step);
Execute lower_tensor(const isa::Instruction& instruction, Step& step);
Execute lower_async_store(const isa::Instruction& instruction, Step& step);
Execute lower_request(const isa::Instruction& instruction, Step& step);
Execute lower_tensor_memory(const isa::Instruction& instruction, Step& step);

// An H200 takes instructions that mean the shared memory of a cluster by themselves for illegal in
// a launch without clusters (copies from global memory excepted). True, and a fault, there.
bool lacks_cluster(Core& core, const Warp& warp, const Step& step, Mask active);

// What an instruction that works on runs of bytes does to memory, told to observers. All of it
// is done by the lowest of the lanes.
class BulkAccess {
 public:
  BulkAccess(Core& core, Warp& warp, const Step& step, Mask lanes)
      : core_(core), warp_(warp), step_(step), lanes_(Mask::of(lanes.first())) {}

  // `bytes` at an address of global memory, or of a cluster's shared memory (the rank of the block
  // in bits 31:24), which must be a multiple of `alignment`. Null, and a fault, where they are not.
  std::byte* global(std::uint64_t address, std::uint64_t bytes, unsigned alignment = 16);
  std::byte* shared(std::uint32_t address, std::uint64_t bytes, unsigned alignment = 16);

  // Notes an access before memory changes; false when it conflicts with other host threads', or,
  // with a fault, where the memory is to be read alone.
  // `operation`: of reductions, as claim_lanes takes it.
  bool note_global(AccessKind kind, std::uint64_t address, std::uint64_t bytes, unsigned width,
                   unsigned operation = 0);
  void note_shared(AccessKind kind, std::uint32_t address, std::uint64_t bytes, unsigned width);

  // Tells the barrier at a cluster's shared address that `bytes` bytes have arrived.
  Flow count_at_barrier(std::uint32_t address, std::uint32_t bytes);
  // … that somebody has.
  Flow arrive_at_barrier(std::uint32_t address);

 private:
  std::byte* found(std::byte* data, std::uint64_t address, unsigned alignment, const char* missing);
  void observe(AccessKind kind, Window space, std::uint64_t address, std::uint64_t bytes,
               unsigned width);
  void save(std::uint64_t address, std::uint64_t bytes);  // before they change
  Flow update_barrier(std::uint32_t address, Arrival effect, std::uint32_t bytes);

  Core& core_;
  Warp& warp_;
  const Step& step_;
  Mask lanes_;
};

}  // namespace heddle::simulator
