// Memory that nodes of graphs allocate, as an H200 tells of it
// (gpu/runtime/tests/answers/graph_memory.cu). Its addresses are known when a node is made; whether
// they are in use changes as graphs are launched and memory is freed. What launches need of the
// device's memory is counted in pieces, which launches that cannot run at once share: here no
// memory is behind a piece, as what nobody touches costs nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/runtime/engine.hpp"
#include "gpu/runtime/memory_pool.hpp"

namespace heddle::runtime {

class GraphMemory {
 public:
  using Pieces = std::vector<std::uint64_t>;

  // A block of addresses from which nodes of one graph take theirs, until it is forgotten.
  void add_block(std::uint64_t address, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    blocks_[address] = bytes;
    any_ = true;
  }
  void forget_block(std::uint64_t address) {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return;
    nodes_.erase(nodes_.lower_bound(address), nodes_.lower_bound(address + found->second));
    blocks_.erase(found);
  }
  void add_node(std::uint64_t address) {
    std::lock_guard lock(mutex_);
    nodes_[address] = false;
  }
  // For the one node that may free what another allocates. False: there is one, or nothing to free.
  bool add_free_node(std::uint64_t address) {
    std::lock_guard lock(mutex_);
    const auto found = nodes_.find(address);
    if (found == nodes_.end() || found->second) return false;
    return found->second = true;
  }
  bool contains(std::uint64_t address) const {
    std::lock_guard lock(mutex_);
    return any_ && block_of(address) != blocks_.end();
  }
  // Of a graph, and not in use now: no call may touch it.
  bool idle(std::uint64_t address) const {
    if (!any_) return false;
    std::lock_guard lock(mutex_);
    if (block_of(address) == blocks_.end()) return false;
    const auto next = in_use_.upper_bound(address);
    return next == in_use_.begin() ||
           address - std::prev(next)->first >= std::prev(next)->second.bytes;
  }
  bool in_use(std::uint64_t address) const {
    std::lock_guard lock(mutex_);
    return in_use_.contains(address);
  }
  // `block`: is not given back before what is taken of it.
  void take(std::uint64_t address, std::uint64_t bytes, std::shared_ptr<const void> block) {
    std::lock_guard lock(mutex_);
    in_use_[address] = {bytes, std::move(block), {}};
  }
  // False: it is not in use.
  bool give(std::uint64_t address) {
    Use ended;  // goes when the lock has gone
    std::lock_guard lock(mutex_);
    const auto found = in_use_.find(address);
    if (found == in_use_.end()) return false;
    ended = std::move(found->second);
    in_use_.erase(found);
    for (const std::uint64_t piece : ended.pieces) --pieces_.at(piece).unfreed;
    return true;
  }

  // Pieces for a launch in a stream: those of launches that are over, or come before it there.
  Pieces reserve(std::uint64_t bytes, std::uint64_t stream,
                 const std::function<bool(Ticket)>& done) {
    std::lock_guard lock(mutex_);
    const std::uint64_t wanted = MemoryPool::in_pieces(bytes) / MemoryPool::kPiece;
    Pieces taken;
    for (auto& [number, piece] : pieces_) {
      if (taken.size() == wanted) break;
      if (piece.unfreed != 0 || (piece.stream != stream && !done(piece.last))) continue;
      taken.push_back(number);
    }
    while (taken.size() < wanted) {
      taken.push_back(next_piece_);
      pieces_[next_piece_++] = {};
    }
    used_high_ = std::max(used_high_, now());
    reserved_high_ = std::max(reserved_high_, now());
    for (const std::uint64_t number : taken) pieces_[number].stream = stream;
    return taken;
  }
  // The launch has been submitted, and leaves these addresses in use.
  void launched(const Pieces& pieces, Ticket last, const std::vector<std::uint64_t>& addresses) {
    std::lock_guard lock(mutex_);
    for (const std::uint64_t number : pieces) pieces_[number].last = last;
    for (const std::uint64_t address : addresses) {
      const auto found = in_use_.find(address);
      if (found == in_use_.end()) continue;
      found->second.pieces = pieces;
      for (const std::uint64_t number : pieces) ++pieces_[number].unfreed;
    }
  }
  void trim(const std::function<bool(Ticket)>& done) {
    std::lock_guard lock(mutex_);
    std::erase_if(pieces_, [&](const auto& entry) {
      return entry.second.unfreed == 0 && done(entry.second.last);
    });
  }
  // In bytes: what is used, and what is reserved, are the same.
  std::uint64_t bytes() const {
    std::lock_guard lock(mutex_);
    return now();
  }
  std::uint64_t most_bytes(bool reserved) const {
    std::lock_guard lock(mutex_);
    return reserved ? reserved_high_ : used_high_;
  }
  void forget_most(bool reserved) {
    std::lock_guard lock(mutex_);
    (reserved ? reserved_high_ : used_high_) = now();
  }

 private:
  struct Use {
    std::uint64_t bytes = 0;
    std::shared_ptr<const void> block;
    Pieces pieces{};  // of the launch that left it in use
  };
  struct Piece {
    std::uint64_t stream = 0;
    Ticket last = 0;
    std::uint64_t unfreed = 0;  // addresses in use for which it is there
  };
  using Blocks = std::map<std::uint64_t, std::uint64_t>;
  Blocks::const_iterator block_of(std::uint64_t address) const {
    const auto next = blocks_.upper_bound(address);
    if (next == blocks_.begin()) return blocks_.end();
    const auto block = std::prev(next);
    return address - block->first < block->second ? block : blocks_.end();
  }
  std::uint64_t now() const { return pieces_.size() * MemoryPool::kPiece; }

  mutable std::mutex mutex_;
  std::atomic<bool> any_{false};           // there was a block
  Blocks blocks_;                          // bytes, by address
  std::map<std::uint64_t, bool> nodes_;    // whether a node frees it, by address
  std::map<std::uint64_t, Use> in_use_;    // by address
  std::map<std::uint64_t, Piece> pieces_;  // by number
  std::uint64_t next_piece_ = 0;
  std::uint64_t used_high_ = 0, reserved_high_ = 0;
};

}  // namespace heddle::runtime
