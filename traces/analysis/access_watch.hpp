// How the addresses of each memory instruction lay, and what other layouts would have cost:
// gathered while a launch executes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "simulator/launch/observer.hpp"

namespace heddle::traces {

// Words of a row behind which one element of padding is tried.
inline constexpr std::array<unsigned, 5> kPaddedRows = {8, 16, 32, 64, 128};

struct AccessSite {
  simulator::AccessKind kind{};
  std::uint32_t width = 0;  // bytes per lane
  std::uint64_t executions = 0, lanes = 0;
  // Sectors; of shared memory passes. `ideal`: the fewest that could hold the bytes.
  std::uint64_t moved = 0, ideal = 0;
  std::map<std::int64_t, std::uint64_t> strides;  // bytes between neighbouring lanes: executions
  std::uint64_t uneven = 0;                       // executions without one stride
  std::uint64_t off_sector = 0;      // executions whose pieces adjoin and begin within a sector
  std::uint64_t colliding = 0;       // atomics: lanes at an address that another of the warp has
  std::uint64_t again_by_warp = 0;   // loads: sectors this warp loaded a moment before
  std::uint64_t again_by_block = 0;  // … or another of its block
  std::uint64_t first = 0;           // the first lane's address, the first time
  std::unordered_map<std::uint64_t, std::uint64_t> addresses;  // atomics: lanes; the first 4096

  std::uint64_t excess() const { return moved - ideal; }
  // The commonest stride; 0: there is none.
  std::int64_t stride() const;
};

class AccessWatch {
 public:
  AccessWatch() = default;
  AccessWatch(const AccessWatch&) = delete;  // it points into itself
  AccessWatch& operator=(const AccessWatch&) = delete;

  void issued(const simulator::WarpView& warp, const simulator::Issue& issue);
  void block_ended(const simulator::BlockView& block);

  // By the instruction and the space it went to.
  using Place = std::pair<std::uint32_t, simulator::Window>;
  const std::map<Place, AccessSite>& sites() const { return sites_; }
  std::uint64_t sectors() const { return sectors_; }  // global and local
  std::uint64_t passes() const { return passes_; }    // of shared memory
  // Lanes of global atomics at an address that another lane of the warp has.
  std::uint64_t collisions() const { return collisions_; }
  // Passes if shared arrays had one element of padding behind each row of kPaddedRows[i] words.
  const std::array<std::uint64_t, kPaddedRows.size()>& padded() const { return padded_; }
  // Warp instructions of each block that has ended or runs.
  const std::unordered_map<std::uint64_t, std::uint64_t>& blocks() const { return block_steps_; }

 private:
  // What a warp has loaded lately and need not load again.
  struct Recent {
    std::uint64_t barriers = 0;  // of the block, at that time
    std::array<std::uint64_t, 8> loads{};
    std::size_t next = 0;
  };
  struct BlockState {
    std::unordered_map<std::uint32_t, Recent> warps;
    std::unordered_set<std::uint64_t> sectors;
  };
  void note(AccessSite& site, const simulator::Access& access);
  void note_loads(AccessSite& site, const simulator::WarpView& warp,
                  const simulator::Access& access);
  void note_padding(const simulator::Access& access);

  std::map<Place, AccessSite> sites_;
  std::uint64_t sectors_ = 0, passes_ = 0, collisions_ = 0;
  std::array<std::uint64_t, kPaddedRows.size()> padded_{};
  std::unordered_map<std::uint64_t, BlockState> running_;
  std::unordered_map<std::uint64_t, std::uint64_t> block_steps_;
  // The entry that was counted last; a block mostly goes on.
  std::uint64_t last_block_ = 0;
  std::uint64_t* last_steps_ = nullptr;
};

}  // namespace heddle::traces
