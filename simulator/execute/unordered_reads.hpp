// Finds reads of global memory whose value depends on time: of what another warp of the launch
// writes, with no block barrier between the two.
//
// Judged are reads that are strong (volatile, or atomic loads), and any reads of what other warps
// change by reductions. Plain races between plain loads and stores are not looked for, nor those in
// shared memory. Within a warp the order is the architecture's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace heddle::simulator {

class UnorderedReads {
 public:
  struct Who {
    std::uint64_t block = 0;
    std::uint64_t barriers = 0;  // block barriers that the block has completed
    std::uint32_t warp = 0;
  };

  // `bytes` (1 to 16) at an address.
  void read(std::uint64_t address, unsigned bytes, const Who& who, bool strong);
  void write(std::uint64_t address, unsigned bytes, const Who& who, bool reduction);
  bool found() const { return found_; }

 private:
  static constexpr std::uint64_t kGranule = 4, kPage = 4096;
  // Who used a granule, as far as it matters.
  struct Users {
    Who last;
    bool any = false, several_warps = false, several_blocks = false;
    bool marked = false;  // some read was strong; some write a reduction
    void add(const Who& who, bool mark);
    bool unordered_with(const Who& who) const;
  };
  struct Cell {
    Users readers, writers;
  };
  using Page = std::array<Cell, kPage / kGranule>;
  Cell& cell(std::uint64_t granule);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t cached_number_ = ~std::uint64_t{0};
  Page* cached_ = nullptr;
  bool found_ = false;
};

}  // namespace heddle::simulator
