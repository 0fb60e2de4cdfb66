#include "gpu/runtime/memory_table.hpp"

namespace heddle::runtime {

bool MemoryTable::insert(const MemoryBlock& block) {
  std::lock_guard lock(mutex_);
  if (first_in(block.address, block.bytes) != nullptr) return false;
  return blocks_.emplace(block.address, block).second;
}

std::optional<MemoryBlock> MemoryTable::remove(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return std::nullopt;
  const MemoryBlock block = found->second;
  blocks_.erase(found);
  return block;
}

std::optional<MemoryBlock> MemoryTable::find(std::uint64_t address) const {
  std::lock_guard lock(mutex_);
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return std::nullopt;
  const MemoryBlock& block = std::prev(next)->second;
  if (address - block.address >= block.bytes) return std::nullopt;
  return block;
}

const MemoryBlock* MemoryTable::first_in(std::uint64_t address, std::uint64_t bytes) const {
  const auto next = blocks_.lower_bound(address);
  if (next != blocks_.begin()) {
    const MemoryBlock& before = std::prev(next)->second;
    if (address - before.address < before.bytes) return &before;
  }
  return next != blocks_.end() && next->first - address < bytes ? &next->second : nullptr;
}

std::optional<MemoryBlock> MemoryTable::overlapping(std::uint64_t address,
                                                    std::uint64_t bytes) const {
  std::lock_guard lock(mutex_);
  const MemoryBlock* const block = first_in(address, bytes);
  return block == nullptr ? std::nullopt : std::optional(*block);
}

void MemoryTable::mark_shared(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found != blocks_.end()) found->second.shared = true;
}

MemoryBlock MemoryTable::set_reached_by(std::uint64_t address, std::uint32_t gpus) {
  std::lock_guard lock(mutex_);
  MemoryBlock& block = blocks_.at(address);
  block.by_peers = false;
  block.reached_by = gpus;
  return block;
}

std::vector<MemoryBlock> MemoryTable::blocks() const {
  std::lock_guard lock(mutex_);
  std::vector<MemoryBlock> all;
  for (const auto& [address, block] : blocks_) all.push_back(block);
  return all;
}

}  // namespace heddle::runtime
