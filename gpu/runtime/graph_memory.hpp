// Memory that nodes of graphs allocate. Its addresses are known when a node is made, so it lies
// there from then on; whether it is in use changes as graphs are launched and memory is freed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

#include "gpu/runtime/memory_pool.hpp"

namespace heddle::runtime {

class GraphMemory {
 public:
  void add(std::uint64_t address, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    blocks_[address] = {bytes, false};
  }
  bool contains(std::uint64_t address) const {
    std::lock_guard lock(mutex_);
    return blocks_.contains(address);
  }
  bool in_use(std::uint64_t address) const {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(address);
    return found != blocks_.end() && found->second.in_use;
  }
  void take(std::uint64_t address) {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return;
    found->second.in_use = true;
    if (found->second.counted) return;
    found->second.counted = true;
    bytes_ += found->second.bytes;
    high_ = std::max(high_, bytes_);
  }
  // False: it is not of a graph.
  bool give(std::uint64_t address) {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return false;
    found->second.in_use = false;
    return true;
  }
  // As an H200 tells it: all that graphs which were launched allocate, in the pieces of pools.
  std::uint64_t bytes() const {
    std::lock_guard lock(mutex_);
    return MemoryPool::in_pieces(bytes_);
  }
  std::uint64_t most_bytes() const {
    std::lock_guard lock(mutex_);
    return MemoryPool::in_pieces(high_);
  }
  void forget_most() {
    std::lock_guard lock(mutex_);
    high_ = bytes_;
  }

 private:
  struct Block {
    std::uint64_t bytes = 0;
    bool in_use = false;
    bool counted = false;
  };
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t bytes_ = 0, high_ = 0;
};

}  // namespace heddle::runtime
