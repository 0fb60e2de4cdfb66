// --check init: reads of memory that nobody has written: global memory from cudaMalloc (copies and
// fills by the host program write), shared and local memory. A read counts as one where no byte of
// what a lane reads was written, so that padding that is copied along does not. Code compiled with
// -G copies it by the byte: there reads of single bytes of local memory are not looked at.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simulator/checks/byte_set.hpp"
#include "simulator/checks/check.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator::checks {

class InitCheck : public Check {
 public:
  using Check::Check;
  void begin(const LaunchRequest& request) override;
  void block_started(const Core& core, const Block& block) override;
  void issued(const Core& core, const Warp& warp, const Issue& issue) override;
  void block_ended(const Core& core, const Block& block) override;
  void allocated(const Allocation& allocation) override;
  void freed(const Allocation& allocation) override;
  void written(std::uint64_t address, std::uint64_t bytes) override;

 private:
  struct BlockMemory {
    ByteSet shared;
    std::vector<ByteSet> local;  // by thread; empty as long as none accesses it
  };
  struct Tracked {
    Allocation allocation;
    ByteSet written;
    bool all_written() const { return written.count() == allocation.bytes; }
  };
  BlockMemory& memory_of(const Block& block);
  Tracked* tracked_at(std::uint64_t address);
  void look_at(const Core& core, const Warp& warp, const Issue& issue, const Access& access);
  // Whether all that lies between the lanes' places is written; false: it is not known.
  bool all_is_written_around(const Warp& warp, const Access& access);
  bool all_is_written(const Warp& warp, Window space, std::uint64_t address, std::uint64_t bytes);
  // The bytes of a place in memory that are written, and the place in them; null: not tracked, or
  // all of them are.
  ByteSet* bytes_of(const Warp& warp, Window space, unsigned lane, std::uint64_t& address);
  void report(const Warp& warp, const Issue& issue, const Access& access, Mask lanes);

  std::map<std::uint64_t, Tracked> tracked_;  // by address
  Tracked* last_ = nullptr;
  struct {
    std::uint64_t from = 0, until = 0;
  } untracked_;  // around an address that was asked for
  bool copies_by_byte_ = false;
  std::map<std::uint64_t, BlockMemory> blocks_;  // by linear index
  BlockMemory* last_memory_ = nullptr;           // that memory_of found, and whose
  std::uint64_t last_block_ = 0;
};

}  // namespace heddle::simulator::checks
