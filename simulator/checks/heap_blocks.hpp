// What malloc and free in device code have given out and taken back, as an observer sees it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "simulator/checks/check.hpp"
#include "simulator/memory/device_heap.hpp"

namespace heddle::simulator::checks {

class HeapBlocks {
 public:
  struct Call {
    std::uint64_t launch = 0;  // which one of those looked at; 0: nobody looked on
    Actor who;
  };
  struct Block {
    std::uint64_t address = 0, bytes = 0;  // as asked for
    Call given;
    std::optional<Call> freed;
    bool contains(std::uint64_t at, std::uint64_t count) const {
      return at >= address && count <= bytes && at - address <= bytes - count;
    }
  };

  // Of a launch that is looked at.
  void begin() { adopted_ = false; }
  void allocated(std::uint64_t address, std::uint64_t bytes, const Call& by);
  // The block that is freed, as it was before; null: the address is none that malloc gave. Of a
  // block that nobody saw given out `memory` tells.
  const Block* free(std::uint64_t address, const Call& by, DeviceMemory& memory);
  bool allows(std::uint64_t address, std::uint64_t bytes, DeviceMemory& memory);
  // The last block, freed or not, that begins at or before an address; null: there is none.
  const Block* nearest(std::uint64_t address) const;

 private:
  // Takes up the blocks that nobody saw given out, once in a launch: to look at all of them for
  // each access would take as long as there are blocks.
  void adopt(DeviceMemory& memory);

  std::map<std::uint64_t, Block> blocks_;  // by address; freed ones until others take their place
  Block before_;                           // what `free` returns
  bool adopted_ = false;
  std::uint64_t last_ = 0;  // of the block that an access lay in last
};

}  // namespace heddle::simulator::checks
