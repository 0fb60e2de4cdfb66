// --check memory: accesses outside what is allocated, misaligned, or to memory freed before. All
// the lanes that do it are told, before the fault ends the launch. The heap of device code is one
// allocation; there the blocks that malloc gave are what may be accessed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/checks/check.hpp"
#include "simulator/checks/heap_blocks.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator::checks {

class MemoryCheck : public Check {
 public:
  using Check::Check;
  void begin(const LaunchRequest& request) override;
  void end(const LaunchOutcome& outcome) override;
  void issuing(const Core& core, const Warp& warp, const Issue& next) override;
  void freed(const Allocation& allocation) override;
  void issued(const Core& core, const Warp& warp, const Issue& issue) override;
  bool looks_before(const Step& step) const override;
  bool looks_behind(const Step& step) const override;

 private:
  void free_block(const Core& core, const Warp& warp, const Issue& next, unsigned lane,
                  std::uint64_t address);
  struct Wrong {
    Mask misaligned{}, outside{}, freed{};
  };
  Wrong wrong_lanes(const Core& core, const Warp& warp, const Step& step, AddressSpace space,
                    Mask on, const Addresses& address);
  bool all_lie_inside(const Access& access);
  bool may_lie_outside(const Core& core, const Access& access);
  void look_before(const Core& core, const Warp& warp, const Issue& next);
  void look_at(const Core& core, const Warp& warp, const Issue& next, Mask on,
               const Addresses& address);
  void look_at_copy(const Core& core, const Warp& warp, const Issue& issue, Access access);
  bool lies_outside(const Core& core, const Warp& warp, unsigned lane, std::uint64_t address,
                    std::uint32_t width, Window space);
  // `wrong`: of the access's kind, width and space, by its lanes.
  void report(const Core& core, const Warp& warp, const Issue& next, const char* kind,
              const Access& wrong);
  const Allocation* freed_at(std::uint64_t address) const;
  // The block of device code's heap that an address lies in or behind; null: not in the heap.
  const HeapBlocks::Block* nearest_block(std::uint64_t address, Window space) const;
  bool was_freed(std::uint64_t address, Window space) const;
  void tell_of_block(const HeapBlocks::Block& block, Finding& finding) const;
  std::string details(const Core& core, std::uint64_t address, Window space) const;

  std::map<std::uint64_t, Allocation> freed_;  // by address; none is given out again
  HeapBlocks heap_;
  struct Known {
    std::uint64_t address = 0, bytes = 0;
    bool is_heap = false;
    bool holds(std::uint64_t at, std::uint64_t count) const {
      return at - address < bytes && count <= bytes - (at - address);
    }
  };
  const Known* known_at(const Core& core, std::uint64_t address, std::uint64_t bytes);
  std::array<Known, 4> known_{};  // allocations that accesses lay in
  std::size_t next_known_ = 0;    // whose place the next one takes
  std::size_t last_known_ = 0;
  HeapCall call_;  // that executes now
  std::uint64_t launch_ = 0;
  bool reported_ = false;                            // in this launch
  std::string code_;                                 // that the following are of: its hash
  std::vector<std::optional<AddressSpace>> spaces_;  // by pc; as plain_space has them
};

}  // namespace heddle::simulator::checks
