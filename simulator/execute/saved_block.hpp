// A block's state kept aside. Pages equal to those of the block's last saved state are shared with
// it, and pages of zeros take no room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

// Bytes that a set of saved states takes, however much they share.
using ByteCount = std::shared_ptr<std::uint64_t>;

class SavedBytes {
 public:
  // `last`: what the same bytes were saved as before, or null.
  void save(std::span<const std::byte> bytes, const SavedBytes* last, const ByteCount& count);
  void load(std::span<std::byte> bytes) const;  // as many as were saved

 private:
  static constexpr std::size_t kPageBytes = 1024;
  using Page = std::array<std::byte, kPageBytes>;
  std::vector<std::shared_ptr<const Page>> pages_;  // null: zeros
};

class SavedBlock {
 public:
  SavedBlock(const Core& core, const Block& block, const SavedBlock* last, const ByteCount& count);
  // Makes `block`, whatever it was, the block that was saved.
  void load(const Core& core, Block& block) const;
  std::uint64_t linear() const { return linear_; }

 private:
  struct SavedWarp {
    std::array<Mask, 17> predicates;
    std::unique_ptr<const Reconvergence> convergence;
    GroupProducts products;
    std::uint32_t registers, gave_way;
  };
  std::uint64_t linear_ = 0, barriers_completed_ = 0, spare_registers_ = 0;
  std::vector<SavedWarp> warps_;
  SavedBytes rows_, shared_, local_, tensor_cells_;
  std::size_t tensor_count_ = 0;
  std::uint32_t tensor_columns_ = 0;
  std::array<BlockBarrier, 16> barriers_;
  std::uint32_t awaited_barriers_ = 0;
  std::vector<Block::BarrierResult> results_;
};

}  // namespace heddle::simulator
