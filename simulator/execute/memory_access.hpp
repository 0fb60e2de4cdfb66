// What loads, stores and atomics share: per-lane addresses, checks, counting. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "simulator/execute/machine.hpp"
#include "simulator/memory/address_space.hpp"
#include "simulator/memory/copy_counts.hpp"

namespace heddle::simulator {

enum class AddressSpace : std::uint8_t { global, shared, local, generic };

using lanes::AddressPattern;

// Every lane's address; those of lanes that are not in `lanes` hold whatever the registers give.
// Returns the pattern of `lanes`, which is not empty; a lane's piece has step.width bytes.
AddressPattern compute_addresses(const Core& core, const Warp& warp, const Step& step,
                                 Addresses& address, Mask lanes = kFullMask);
// The pattern of addresses that were found otherwise; whether they adjoin is not asked.
AddressPattern pattern_of(const Addresses& address, Mask lanes);

// The lanes of `lanes` whose generic address lies in a space.
Mask lanes_in(Window space, const Addresses& address, Mask lanes);

// Pointers to the memory of each lane in `lanes`. Returns false and raises a fault when one is out
// of bounds or misaligned. `pattern`: of `lanes`. `kind`: how they are accessed; some memory may be
// read alone.
struct LanePointers {
  // Where all 32 are there and adjoin: the first. From a width of 4 on `of` is not filled in then.
  std::byte* row = nullptr;
  std::byte* same = nullptr;  // where all lanes access one place: that
  std::array<std::byte*, kWarpSize> of;
};
// The line of memory at an address, where it is known to be there, in global memory or in the
// block's own shared memory; else null.
const std::byte* resolve_line(Core& core, Block& block, Window space, std::uint64_t address);
bool resolve_lanes(Core& core, Warp& warp, const Step& step, Window space, AccessKind kind,
                   const Addresses& address, Mask lanes, const AddressPattern& pattern,
                   LanePointers& pointers);
// Why global memory that is not there, or not to be accessed so, is not.
std::string describe_bad_global(const Core& core, std::uint64_t address, std::uint64_t bytes);

// Shared memory of the block at a shared address, or of one of its cluster at a generic address;
// null where there is none.
std::byte* shared_view(const Core& core, Block& block, std::uint64_t address, std::uint64_t bytes);

// Whether it ends within what the launch asks for: behind that a block reaches the rest of the last
// unit of allocation (docs/experiments/allocations.md, "The end of shared memory").
bool is_asked_shared(const Core& core, std::uint64_t address, std::uint64_t bytes);
std::string describe_shared(const Core& core);

// A lane's own local memory at a local or generic address, or null.
std::byte* local_view(const Core& core, const Warp& warp, unsigned lane, std::uint64_t address,
                      std::uint64_t bytes);

// Notes the use of global memory for the other host threads; false when it conflicts with theirs.
// `pointers`: of the lanes. `operation`: reductions. `noted`: all of it is already.
bool claim_lanes(Core& core, const Warp& warp, const Step& step, AccessKind kind,
                 const Addresses& address, Mask lanes, const LanePointers& pointers,
                 unsigned operation = 0, bool noted = false);

// Adds an access to the instruction's counts, and notes it for an observer. Before memory changes:
// a replay that goes back (simulator/device/replay.hpp) saves old contents. `pattern` as above.
// `block`: of the lanes, which tells its shared memory from that of others.
void count_access(Core& core, const Step& step, AccessKind kind, Window space,
                  const Addresses& address, Mask lanes, const AddressPattern& pattern,
                  const Block* block = nullptr);

// The same for LDSM and STSM: the lanes that give the addresses of rows.
void count_matrix_access(Core& core, const Step& step, AccessKind kind, const Addresses& address,
                         Mask lanes);

// Resolves and counts a load or store of which nobody takes notes, where the lanes' pieces are one
// row of memory from `first` on: most of all accesses. Returns its memory. Null: it is of another
// kind, or not known to be all there, and nothing is counted.
std::byte* count_plain_row(Core& core, const Warp& warp, const Step& step, AccessKind kind,
                           Window space, std::uint64_t first);

inline void add_global(InstructionCounts& counts, const AccessCounts& access, unsigned threads,
                       unsigned width) {
  ++counts.global;
  counts.threads_global += threads;
  counts.sectors_global += access.sectors;
  counts.sectors_global_ideal += access.sectors_ideal;
  counts.tags_global += access.tags;
  counts.bytes_global += std::uint64_t{width} * threads;
}

inline void add_shared(InstructionCounts& counts, const AccessCounts& access, unsigned threads) {
  ++counts.shared;
  counts.threads_shared += threads;
  counts.wavefronts_shared += access.wavefronts;
  counts.wavefronts_shared_ideal += access.wavefronts_ideal;
}

// Bits of Step::data_type of a copy: .ZFILL, and not .BYPASS.
inline constexpr std::uint8_t kCopyFills = 1, kCopyThroughL1 = 2;

// The same for a copy. Metrics may count one that no lane carries out.
void count_copy(Core& core, const Step& step, const Addresses& from, const Addresses& to,
                const CopyLanes& lanes);

// Runs `access(space, lanes, pattern)` for each space an instruction touches. A generic access is
// one access for each space its lanes resolve to. `pattern`: of the lanes that are on.
template <AddressSpace kSpace, typename F>
Flow for_each_space(const Addresses& address, Mask on, const AddressPattern& pattern, F&& access) {
  if constexpr (kSpace == AddressSpace::generic) {
    if (pattern.spread >> 32 == 0) return access(window_of(address[on.first()]), on, pattern);
    for (const Window space : {Window::global, Window::shared, Window::local}) {
      const Mask lanes = lanes_in(space, address, on);
      if (lanes.empty()) continue;
      const AddressPattern& there = lanes == on ? pattern : pattern_of(address, lanes);
      if (access(space, lanes, there) == Flow::stop) return Flow::stop;
    }
    return Flow::next;
  } else {
    constexpr Window space = kSpace == AddressSpace::global   ? Window::global
                             : kSpace == AddressSpace::shared ? Window::shared
                                                              : Window::local;
    return access(space, on, pattern);
  }
}

}  // namespace heddle::simulator
