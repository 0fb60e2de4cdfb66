#include "simulator/execute/unordered_reads.hpp"

#include <cstring>

namespace heddle::simulator {

// Users from before the block's last barrier are ordered with all that follow in the block, so only
// those since then are told apart.
void UnorderedReads::Users::add(std::uint64_t who, bool mark) {
  const std::uint64_t other = bits_ ^ who;
  std::uint64_t flags = bits_ & (kSeveralWarps | kSeveralBlocks | kMarked);
  if ((bits_ & kAny) == 0) {
    flags = 0;
  } else if (other >> kBlock != 0) {
    flags |= kSeveralBlocks;
  } else if ((other >> kBarriers & kBarriersMask) == 0) {
    if ((other >> kWarp & kWarpMask) != 0) flags |= kSeveralWarps;
  } else {
    flags &= ~kSeveralWarps;
  }
  bits_ = who | flags | (mark ? kMarked : 0);
}

bool UnorderedReads::Users::unordered_with(std::uint64_t who) const {
  if ((bits_ & kAny) == 0) return false;
  const std::uint64_t other = bits_ ^ who;
  if ((bits_ & kSeveralBlocks) != 0 || other >> kBlock != 0) return true;
  return (other >> kBarriers & kBarriersMask) == 0 &&
         ((bits_ & kSeveralWarps) != 0 || (other >> kWarp & kWarpMask) != 0);
}

UnorderedReads::PageMemory UnorderedReads::new_page(std::uint64_t number) const {
  if (before_ != nullptr)
    if (const auto seen = before_->pages_.find(number); seen != before_->pages_.end()) {
      PageMemory page(1, Fresh::anything);
      page[0] = seen->second[0];
      return page;
    }
  return PageMemory(1, Fresh::zeroed);
}

UnorderedReads::Page& UnorderedReads::page(std::uint64_t number) {
  Recent& recent = recent_[number % kRecent];
  if (number != recent.number) {
    PageMemory& page = pages_[number];
    if (page.data() == nullptr) page = new_page(number);
    recent = {number, page.data()};
  }
  return *recent.page;
}

// Adjoining granules mostly had the same users: what an access makes of one it makes of the next.
template <typename Use>
void UnorderedReads::for_each_cell(std::uint64_t address, unsigned bytes, Use&& use) {
  constexpr std::uint64_t kCells = kPage / kGranule;
  const std::uint64_t end = (address + bytes - 1) / kGranule + 1;
  Cell before, after;
  bool known = false;
  for (std::uint64_t granule = address / kGranule; granule < end;) {
    Page& cells = page(granule / kCells);
    do {
      Cell& cell = cells[granule % kCells];
      if (known && std::memcmp(&cell, &before, sizeof cell) == 0) {
        cell = after;
        continue;
      }
      before = cell;
      use(cell);
      after = cell;
      known = true;
    } while (++granule < end && granule % kCells != 0);
  }
}

void UnorderedReads::read(std::uint64_t address, unsigned bytes, const Who& who, bool strong) {
  if (notes_ != nullptr) return notes_->push_back({address, who, bytes, false, strong});
  const std::uint64_t reader = Users::pack(who);
  for_each_cell(address, bytes, [&](Cell& used) {
    found_ |= (strong || used.writers.marked()) && used.writers.unordered_with(reader);
    used.readers.add(reader, strong);
  });
}

void UnorderedReads::write(std::uint64_t address, unsigned bytes, const Who& who, bool reduction) {
  if (notes_ != nullptr) return notes_->push_back({address, who, bytes, true, reduction});
  const std::uint64_t writer = Users::pack(who);
  for_each_cell(address, bytes, [&](Cell& used) {
    found_ |= (reduction || used.readers.marked()) && used.readers.unordered_with(writer);
    used.writers.add(writer, reduction);
  });
}

}  // namespace heddle::simulator
