#include "simulator/execute/unordered_reads.hpp"

namespace heddle::simulator {

// Users from before the block's last barrier are ordered with all that follow in the block, so only
// those since then are told apart.
void UnorderedReads::Users::add(const Who& who, bool mark) {
  if (any && last.block != who.block) {
    several_blocks = true;
  } else if (any && last.barriers == who.barriers) {
    several_warps |= last.warp != who.warp;
  } else {
    several_warps = false;
  }
  any = true;
  marked |= mark;
  last = who;
}

bool UnorderedReads::Users::unordered_with(const Who& who) const {
  if (!any) return false;
  if (several_blocks || last.block != who.block) return true;
  return last.barriers == who.barriers && (several_warps || last.warp != who.warp);
}

UnorderedReads::Cell& UnorderedReads::cell(std::uint64_t granule) {
  const std::uint64_t number = granule / (kPage / kGranule);
  if (number != cached_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    cached_ = page.get();
    cached_number_ = number;
  }
  return (*cached_)[granule % (kPage / kGranule)];
}

void UnorderedReads::read(std::uint64_t address, unsigned bytes, const Who& who, bool strong) {
  for (std::uint64_t granule = address / kGranule; granule <= (address + bytes - 1) / kGranule;
       ++granule) {
    Cell& used = cell(granule);
    found_ |= (strong || used.writers.marked) && used.writers.unordered_with(who);
    used.readers.add(who, strong);
  }
}

void UnorderedReads::write(std::uint64_t address, unsigned bytes, const Who& who, bool reduction) {
  for (std::uint64_t granule = address / kGranule; granule <= (address + bytes - 1) / kGranule;
       ++granule) {
    Cell& used = cell(granule);
    found_ |= (reduction || used.readers.marked) && used.readers.unordered_with(who);
    used.writers.add(who, reduction);
  }
}

}  // namespace heddle::simulator
