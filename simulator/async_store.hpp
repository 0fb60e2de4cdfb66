// Stores of sm_90 that count their bytes at a barrier in a cluster's shared memory.
#pragma once

#include "simulator/machine.hpp"

namespace heddle::simulator {

// As the families of simulator/machine.hpp.
Execute lower_async_store(const isa::Instruction& instruction, Step& step);

// What one lane does to the shared memory of its cluster, told to who looks on. Addresses hold the
// rank of the block in bits 31:24.
class ClusterAccess {
 public:
  ClusterAccess(Core& core, Warp& warp, const Step& step, unsigned lane)
      : core_(core), warp_(warp), step_(step), lane_(lane) {}

  // `bytes` at an address, which must be a multiple of `bytes`. Null, and a fault, where they are
  // not.
  std::byte* view(std::uint32_t address, std::uint32_t bytes);
  void note(AccessKind kind, std::uint32_t address, std::uint32_t bytes);
  // That so many bytes have come, to the barrier at the address.
  Flow count_at_barrier(std::uint32_t address, std::uint32_t bytes);

 private:
  Core& core_;
  Warp& warp_;
  const Step& step_;
  unsigned lane_;
};

}  // namespace heddle::simulator
