// What native code of a region sees of the machine that executes it, and how it is called.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/base/word_notes.hpp"
#include "simulator/warp/warp.hpp"

namespace heddle::simulator::native {

// How the addresses of an instruction's last access by all lanes lay to the first one's, and what
// that counted: an access that lies so again counts as much.
struct alignas(64) AccessPattern {
  std::array<std::uint32_t, kWarpSize> apart;  // by how many bytes; none while there is no `pc`
  std::uint32_t pc = ~0u;
  // The lower word of the first lane's address. In global memory of the lowest one at which each
  // lane's piece is in the sector that it was in, and how far from there it may be.
  std::uint32_t at = 0, room = 0;
  // Of the first lane's register: of which the others' differ so without an overflow.
  std::uint32_t lowest = 0, highest = 0;
  std::int32_t least = 0;   // from the first lane's address to the lowest one
  std::uint32_t bytes = 0;  // from that one to the end of the highest lane's piece
  // Sectors, or wavefronts of shared memory; the fewest that would do; lines.
  std::uint32_t pieces = 0, ideal = 0, lines = 0;
  std::uint32_t missed = 0;  // accesses since one that lay as the one before
};

// The part of a core that this code reads and writes.
struct Machine {
  std::uint64_t issued = 0;             // warp instructions
  std::uint64_t issue_limit = 0;        // this warp's turn ends when `issued` reaches it
  std::uint32_t* current_pc = nullptr;  // of the warp's current group, while it is in native code
  // Allocations that were found last.
  struct Known {
    std::uint64_t start = 0, bytes = 0;
    std::byte* data = nullptr;
    // `bytes`, where nobody is to know what is loaded from it, or stored there; else 0.
    std::uint64_t readable = 0, writable = 0;
    WordNotes notes = {};  // where somebody is
    bool contains(std::uint64_t at, std::uint64_t count) const {
      return at - start < bytes && count <= bytes - (at - start);
    }
  };
  std::array<Known, 4> known;
  // Of the warp in native code: its block's shared memory, and whether nobody takes notes of what
  // it accesses there, or loads from global memory (but for Known::readable), or stores to it,
  // beside counts.
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  bool shares_freely = false, loads_freely = false, stores_freely = false;
  // Whether its turn ends at an access that others may have to come before: of shared memory, or of
  // global memory alone (GivingWay).
  bool gives_way_in_shared = false, gives_way_in_global = false;
  bool gave_way = false;  // whether native code has executed such an access, and ended the turn
  // RowPrefetch's places.
  std::uintptr_t* rows_before = nullptr;
  // By the sector of its line that the first lane accesses in global memory, and by kPatterns
  // instructions; never null.
  static constexpr std::uint32_t kPhases = 4, kPatterns = 64;
  AccessPattern* patterns = nullptr;
  // What `issued` was when native code last stored to memory that other warps see.
  std::uint64_t stored_at = 0;
};

// Executes a warp from an instruction on: `place` is its Runs::place, `active` are the lanes of the
// current group, whose pc is Machine::current_pc, `counted` as of a Function. Edges of
// stretches (Tally) are counted but for the one where it begins. Returns a Flow; with kOverBudget
// where the turn might end before the next instruction that the machine executes.
using Enter = std::uint32_t (*)(Machine* machine, WarpState* warp, std::uint32_t active,
                                const void* counted, const void* place);
inline constexpr std::uint32_t kOverBudget = 0x100;

// What it asks of the machine when groups may have changed: whether the same lanes go on at `pc`.
// Sets Machine::current_pc if they do.
using GoesOn = bool (*)(Machine* machine, WarpState* warp, std::uint32_t active, std::uint32_t pc);

}  // namespace heddle::simulator::native
