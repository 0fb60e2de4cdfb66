#include "simulator/checks/heap_blocks.hpp"

namespace heddle::simulator::checks {

void HeapBlocks::allocated(std::uint64_t address, std::uint64_t bytes, const Call& by) {
  auto next = blocks_.upper_bound(address);
  if (next != blocks_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > address)
    --next;
  while (next != blocks_.end() && next->first < address + bytes) next = blocks_.erase(next);
  blocks_[address] = {address, bytes, by, std::nullopt};
}

// Launches that nobody looked at, and those that a capsule was made behind, have left blocks too.
HeapBlocks::Block* HeapBlocks::adopt(std::uint64_t address, DeviceMemory& memory) {
  const auto found = DeviceHeap(memory).block_at(address);
  if (!found) return nullptr;
  const auto known = blocks_.find(found->address);
  if (known != blocks_.end() && !known->second.freed) return nullptr;
  allocated(found->address, found->bytes, {});
  return &blocks_[found->address];
}

const HeapBlocks::Block* HeapBlocks::free(std::uint64_t address, const Call& by,
                                          DeviceMemory& memory) {
  const auto found = blocks_.find(address);
  Block* block = found == blocks_.end() ? nullptr : &found->second;
  if (block == nullptr || block->freed) {
    Block* const other = adopt(address, memory);
    if (other != nullptr && other->address == address) block = other;
  }
  if (block == nullptr) return nullptr;
  before_ = *block;
  if (!block->freed) block->freed = by;
  return &before_;
}

bool HeapBlocks::allows(std::uint64_t address, std::uint64_t bytes, DeviceMemory& memory) {
  if (const auto last = blocks_.find(last_);
      last != blocks_.end() && !last->second.freed && last->second.contains(address, bytes))
    return true;
  const Block* block = nearest(address);
  if (block == nullptr || block->freed || !block->contains(address, bytes))
    block = adopt(address, memory);
  if (block == nullptr || !block->contains(address, bytes)) return false;
  last_ = block->address;
  return true;
}

const HeapBlocks::Block* HeapBlocks::nearest(std::uint64_t address) const {
  const auto next = blocks_.upper_bound(address);
  return next == blocks_.begin() ? nullptr : &std::prev(next)->second;
}

}  // namespace heddle::simulator::checks
