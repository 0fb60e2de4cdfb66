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
void HeapBlocks::adopt(DeviceMemory& memory) {
  if (adopted_) return;
  adopted_ = true;
  for (const DeviceHeap::Block& each : DeviceHeap(memory).blocks()) {
    const auto known = blocks_.find(each.address);
    if (known == blocks_.end() || known->second.freed) allocated(each.address, each.bytes, {});
  }
}

const HeapBlocks::Block* HeapBlocks::free(std::uint64_t address, const Call& by,
                                          DeviceMemory& memory) {
  const auto found = blocks_.find(address);
  Block* block = found == blocks_.end() ? nullptr : &found->second;
  if (block == nullptr || block->freed) {
    adopt(memory);
    const auto other = blocks_.find(address);
    if (other != blocks_.end()) block = &other->second;
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
  if (block == nullptr || block->freed || !block->contains(address, bytes)) {
    adopt(memory);
    block = nearest(address);
  }
  if (block == nullptr || block->freed || !block->contains(address, bytes)) return false;
  last_ = block->address;
  return true;
}

const HeapBlocks::Block* HeapBlocks::nearest(std::uint64_t address) const {
  const auto next = blocks_.upper_bound(address);
  return next == blocks_.begin() ? nullptr : &std::prev(next)->second;
}

}  // namespace heddle::simulator::checks
