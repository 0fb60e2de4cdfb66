#include "simulator/execute/unordered_reads.hpp"

#include <algorithm>
#include <cstddef>

namespace heddle::simulator {

// Users from before the block's last barrier are ordered with all that follow in the block, so only
// those since then are told apart. Without branches: which of them it would be nobody can foresee.
inline void UnorderedReads::Users::add(std::uint64_t who, bool mark) {
  const std::uint64_t other = bits_ ^ who;
  const std::uint64_t any = bits_ & kAny;
  const std::uint64_t block = other >> kBlock != 0 ? any : 0;
  const std::uint64_t barrier = (other >> kBarriers & kBarriersMask) != 0 ? 1 : 0;
  const std::uint64_t warp = (other >> kWarp & kWarpMask) != 0 ? any : 0;
  const std::uint64_t same_block = any & ~block;
  const std::uint64_t ended = same_block & barrier, beside = same_block & ~barrier & warp;
  const std::uint64_t flags = bits_ & (kSeveralWarps | kSeveralBlocks | kMarked);
  bits_ = who | (flags & ~(ended * kSeveralWarps)) | block * kSeveralBlocks |
          beside * kSeveralWarps | (mark ? kMarked : 0);
}

bool UnorderedReads::Users::unordered_with(std::uint64_t who) const {
  if ((bits_ & kAny) == 0) return false;
  const std::uint64_t other = bits_ ^ who;
  if ((bits_ & kSeveralBlocks) != 0 || other >> kBlock != 0) return true;
  return (other >> kBarriers & kBarriersMask) == 0 &&
         ((bits_ & kSeveralWarps) != 0 || (other >> kWarp & kWarpMask) != 0);
}

UnorderedReads::Cells* UnorderedReads::new_cells() {
  if (cells_left_ == 0) {
    cells_.emplace_back(kCellsAtOnce, Fresh::anything);
    cells_left_ = kCellsAtOnce;
  }
  return &cells_.back()[--cells_left_];
}

UnorderedReads::PageMemory UnorderedReads::new_page(std::uint64_t number) {
  if (before_ != nullptr)
    if (const auto seen = before_->pages_.find(number); seen != before_->pages_.end()) {
      PageMemory page(1, Fresh::anything);
      page[0] = seen->second[0];
      for (Row& row : page[0]) {
        if (row.cells == nullptr) continue;
        Cells* const own = new_cells();
        *own = *row.cells;
        row.cells = own;
      }
      return page;
    }
  return PageMemory(1, Fresh::zeroed);
}

UnorderedReads::Page& UnorderedReads::find_page(std::uint64_t number) {
  PageMemory& page = pages_[number];
  if (page.data() == nullptr) page = new_page(number);
  recent_[number % kRecent] = {number, page.data()};
  return page[0];
}

// Adjoining granules mostly had the same users: what an access makes of one it makes of the next.
template <typename Use>
void UnorderedReads::use_part(Row& row, std::size_t first, std::size_t last, Use&& use) {
  if (row.cells == nullptr) {
    Uses uses = row.all;
    use(uses);
    if (uses == row.all) return;
    row.cells = new_cells();
    row.cells->readers.fill(row.all.readers);
    row.cells->writers.fill(row.all.writers);
  }
  auto& [readers, writers] = *row.cells;
  while (first < last) {
    const Uses before{readers[first], writers[first]};
    std::size_t next = first + 1;
    while (next < last && readers[next] == before.readers && writers[next] == before.writers)
      ++next;
    Uses uses = before;
    use(uses);
    for (; first < next; ++first) {
      readers[first] = uses.readers;
      writers[first] = uses.writers;
    }
  }
}

template <typename Use>
void UnorderedReads::for_each_use(std::uint64_t address, unsigned bytes, Use&& use) {
  const std::uint64_t end = (address + bytes - 1) / kGranule + 1;
  for (std::uint64_t granule = address / kGranule; granule < end;) {
    Row& in = row(granule / kCells);
    const std::size_t first = granule % kCells;
    const std::size_t last = std::min(kCells, first + (end - granule));
    granule += last - first;
    if (in.cells == nullptr && last - first == kCells)
      use(in.all);
    else
      use_part(in, first, last, use);
  }
}

void UnorderedReads::read(std::uint64_t address, unsigned bytes, const Who& who, bool strong) {
  if (notes_ != nullptr) return notes_->push_back({address, who, bytes, false, strong});
  const std::uint64_t reader = Users::pack(who);
  for_each_use(address, bytes, [&](Uses& uses) {
    found_ |= (strong || uses.writers.marked()) && uses.writers.unordered_with(reader);
    uses.readers.add(reader, strong);
  });
}

void UnorderedReads::write(std::uint64_t address, unsigned bytes, const Who& who, bool reduction) {
  if (notes_ != nullptr) return notes_->push_back({address, who, bytes, true, reduction});
  const std::uint64_t writer = Users::pack(who);
  for_each_use(address, bytes, [&](Uses& uses) {
    found_ |= (reduction || uses.readers.marked()) && uses.readers.unordered_with(writer);
    uses.writers.add(writer, reduction);
  });
}

}  // namespace heddle::simulator
