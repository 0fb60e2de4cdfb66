// What barriers in shared memory learn from copies and from other blocks. In a timed launch they
// do so later than the instruction executes.
#pragma once

#include <cstdint>

namespace heddle::simulator {

struct Block;
struct Core;

// What one arrival does, as SYNCS.ARRIVE has it in Mod::arrive_effect.
enum class Arrival : std::uint8_t {
  one_and_bytes,  // no text: arrives, and expects as many bytes as the register says
  one,            // .A1T0
  one_byte,       // .A0T1: expects one
  bytes,          // .A0TR: expects bytes
  bytes_done,     // .A0TX: bytes have come
  counted,        // .ART0: arrives as often as the register says
};

struct BarrierUpdate {
  Block* block = nullptr;    // in whose shared memory the barrier is
  std::uint64_t linear = 0;  // the block's number, while it has not ended
  std::uint32_t offset = 0;  // of the barrier
  Arrival effect = Arrival::one;
  std::uint32_t amount = 0;
};

// Nothing where the block has ended.
void deliver(const BarrierUpdate& update);
// Notes an update of the barrier at a cluster's shared address, which lies in a living block, for
// who times the launch.
void update_later(Core& core, Block& block, std::uint32_t address, Arrival effect,
                  std::uint32_t amount);

}  // namespace heddle::simulator
