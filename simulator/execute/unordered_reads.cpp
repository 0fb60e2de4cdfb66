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

UnorderedReads::PageMemory UnorderedReads::new_page(std::uint64_t number) const {
  if (before_ != nullptr)
    if (const auto seen = before_->pages_.find(number); seen != before_->pages_.end()) {
      PageMemory page(1, Fresh::anything);
      page[0] = seen->second[0];
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
void UnorderedReads::for_each_run(std::uint64_t address, unsigned bytes, Use&& use) {
  const std::uint64_t end = (address + bytes - 1) / kGranule + 1;
  for (std::uint64_t granule = address / kGranule; granule < end;) {
    Page& in = page(granule / kCells);
    std::size_t first = granule % kCells;
    const std::size_t last = std::min(kCells, first + (end - granule));
    granule += last - first;
    while (first < last) {
      const Users readers = in.readers[first], writers = in.writers[first];
      std::size_t next = first + 1;
      while (next < last && in.readers[next] == readers && in.writers[next] == writers) ++next;
      use(in, first, next);
      first = next;
    }
  }
}

void UnorderedReads::read(std::uint64_t address, unsigned bytes, const Who& who, bool strong) {
  if (notes_ != nullptr) return notes_->push_back({address, who, bytes, false, strong});
  const std::uint64_t reader = Users::pack(who);
  for_each_run(address, bytes, [&](Page& in, std::size_t first, std::size_t end) {
    const Users writers = in.writers[first];
    found_ |= (strong || writers.marked()) && writers.unordered_with(reader);
    Users readers = in.readers[first];
    readers.add(reader, strong);
    std::fill(&in.readers[first], &in.readers[first] + (end - first), readers);
  });
}

void UnorderedReads::write(std::uint64_t address, unsigned bytes, const Who& who, bool reduction) {
  if (notes_ != nullptr) return notes_->push_back({address, who, bytes, true, reduction});
  const std::uint64_t writer = Users::pack(who);
  for_each_run(address, bytes, [&](Page& in, std::size_t first, std::size_t end) {
    const Users readers = in.readers[first];
    found_ |= (reduction || readers.marked()) && readers.unordered_with(writer);
    Users writers = in.writers[first];
    writers.add(writer, reduction);
    std::fill(&in.writers[first], &in.writers[first] + (end - first), writers);
  });
}

}  // namespace heddle::simulator
