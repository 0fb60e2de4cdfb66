// Who accessed a place of a memory, and how.
#pragma once

#include <cstdint>

#include "simulator/base/row_storage.hpp"
#include "simulator/checks/knowledge.hpp"

namespace heddle::simulator::checks {

enum class Use : std::uint8_t {
  plain,
  strong,  // volatile, or an atomic load or store
  atomic,  // a read-modify-write
  swap,    // a compare-and-swap
};

struct Trace {
  static constexpr unsigned kPcBits = 23;
  static constexpr std::uint32_t kMostPc = (1u << kPcBits) - 1;
  WarpId who;
  std::uint32_t clock = 0;  // of the warp; 0: nobody
  std::uint32_t tick = 0;   // LaneOrder's
  std::uint32_t pc : kPcBits = 0;
  std::uint32_t lane : 5 = 0;
  std::uint32_t how : 2 = 0;        // a Use
  std::uint32_t pending : 1 = 0;    // by an asynchronous copy that nobody has waited for
  std::uint32_t for_block : 1 = 0;  // strong or atomic to threads of its block alone
  Use use() const { return static_cast<Use>(how); }
};

struct alignas(kCacheLine) Cell {
  Trace write, read, other_read;  // other_read: by another warp than `read`
  std::uint32_t value = 0;        // what was there after the write
};
static_assert(sizeof(Cell) == kCacheLine);

}  // namespace heddle::simulator::checks
