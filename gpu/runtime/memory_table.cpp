#include "gpu/runtime/memory_table.hpp"

namespace heddle::runtime {

bool MemoryTable::insert(const MemoryBlock& block) {
  std::lock_guard lock(mutex_);
  if (overlaps(block.address, block.bytes)) return false;
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

bool MemoryTable::overlaps(std::uint64_t address, std::uint64_t bytes) const {
  const auto next = blocks_.lower_bound(address);
  if (next != blocks_.end() && next->first - address < bytes) return true;
  if (next == blocks_.begin()) return false;
  const MemoryBlock& before = std::prev(next)->second;
  return address - before.address < before.bytes;
}

void MemoryTable::mark_shared(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found != blocks_.end()) found->second.shared = true;
}

}  // namespace heddle::runtime
