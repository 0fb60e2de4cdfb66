#include "simulator/checks/init_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/attributes.hpp"
#include "simulator/memory/atomic_operations.hpp"

namespace heddle::simulator::checks {
namespace {

// Whether what is read matters: exchanges are used to write, and an mbarrier's first operation
// makes it.
bool reads(const Step& step, const Access& access) {
  if (access.kind == AccessKind::store) return false;
  const isa::Instruction& in = *step.instruction;
  const isa::MemoryAccess memory = isa::memory_access(in);
  if (memory.of == isa::MemoryAccess::Of::barrier) return false;
  const bool is_exchange = memory.kind == isa::MemoryAccess::Kind::atomic &&
                           access.kind == AccessKind::atomic &&
                           step.selector == static_cast<std::uint8_t>(AtomicOp::exch);
  return !is_exchange;
}

}  // namespace

void InitCheck::begin(const LaunchRequest& request) {
  copies_by_byte_ = is_for_debugging(*request.module);
  blocks_.clear();
  last_memory_ = nullptr;
  last_ = nullptr;
  untracked_ = {};
}

void InitCheck::block_started(const Core&, const Block& block) { blocks_[block.linear]; }

void InitCheck::block_ended(const Core&, const Block& block) {
  blocks_.erase(block.linear);
  last_memory_ = nullptr;
}

void InitCheck::allocated(const Allocation& allocation) {
  untracked_ = {};
  if (allocation.label.starts_with("cudaMalloc"))
    tracked_.insert_or_assign(allocation.address, Tracked{allocation, {}});
}

void InitCheck::freed(const Allocation& allocation) {
  tracked_.erase(allocation.address);
  last_ = nullptr;
  untracked_ = {};
}

void InitCheck::written(std::uint64_t address, std::uint64_t bytes) {
  if (Tracked* const tracked = tracked_at(address)) tracked->written.add(address, bytes);
}

InitCheck::Tracked* InitCheck::tracked_at(std::uint64_t address) {
  if (last_ != nullptr && last_->allocation.contains(address, 1)) return last_;
  if (address - untracked_.from < untracked_.until - untracked_.from) return nullptr;
  const auto next = tracked_.upper_bound(address);
  std::uint64_t from = 0;
  if (next != tracked_.begin()) {
    Tracked& before = std::prev(next)->second;
    if (before.allocation.contains(address, 1)) return last_ = &before;
    from = before.allocation.address + before.allocation.bytes;
  }
  untracked_ = {from, next == tracked_.end() ? ~std::uint64_t{0} : next->first};
  return nullptr;
}

InitCheck::BlockMemory& InitCheck::memory_of(const Block& block) {
  if (last_memory_ == nullptr || last_block_ != block.linear) {
    last_memory_ = &blocks_.at(block.linear);
    last_block_ = block.linear;
  }
  return *last_memory_;
}

ByteSet* InitCheck::bytes_of(const Warp& warp, Window space, unsigned lane,
                             std::uint64_t& address) {
  if (space == Window::global) {
    Tracked* const tracked = tracked_at(address);
    return tracked == nullptr || tracked->all_written() ? nullptr : &tracked->written;
  }
  if (space == Window::local) {
    address &= 0xffff'ffff;
    std::vector<ByteSet>& local = memory_of(*warp.block).local;
    if (local.empty()) local.resize(warp.block->warps.size() * kWarpSize);
    return &local[warp.index * kWarpSize + lane];
  }
  const Block* const owner = shared_owner(*warp.block, address);
  address &= kSharedOffset;
  return owner == nullptr ? nullptr : &memory_of(*owner).shared;
}

void InitCheck::issued(const Core& core, const Warp& warp, const Issue& issue) {
  for (const Access& access : issue.accesses)
    if (access.lanes.any()) look_at(core, warp, issue, access);
}

bool InitCheck::all_is_written_around(const Warp& warp, const Access& access) {
  if (access.space == Window::local || warp.block->cluster != nullptr) return false;
  const Access::Around around = access.around();
  if (around.bytes != 0 && all_is_written(warp, access.space, around.address, around.bytes))
    return true;
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  for (const unsigned lane : access.lanes) {
    lowest = std::min(lowest, access.address[lane]);
    highest = std::max(highest, access.address[lane]);
  }
  return all_is_written(warp, access.space, lowest, highest - lowest + access.width);
}

bool InitCheck::all_is_written(const Warp& warp, Window space, std::uint64_t address,
                               std::uint64_t bytes) {
  constexpr std::uint64_t kMost = 4096;  // to look at more takes longer than lane by lane
  if (space == Window::shared)
    return bytes <= kMost && memory_of(*warp.block).shared.has_all(address & kSharedOffset, bytes);
  Tracked* const tracked = tracked_at(address);
  if (tracked == nullptr) return bytes <= untracked_.until - address;
  return tracked->allocation.contains(address, bytes) &&
         (tracked->all_written() || (bytes <= kMost && tracked->written.has_all(address, bytes)));
}

// Reads first: what lanes of an atomic operation read, others of them may write.
void InitCheck::look_at(const Core& core, const Warp& warp, const Issue& issue,
                        const Access& access) {
  const Step& step = core.launch.program->steps[issue.pc];
  // All lanes' pieces as one; no two allocations adjoin.
  if (access.adjoining && access.space != Window::local && access.kind <= AccessKind::store) {
    std::uint64_t address = access.address[0];
    const std::uint64_t bytes = std::uint64_t{access.width} * kWarpSize;
    ByteSet* const set = bytes_of(warp, access.space, 0, address);
    if (set == nullptr) return;
    if (access.kind == AccessKind::store) return set->add(address, bytes);
    if (set->has_all(address, bytes)) return;
  }
  if (access.kind == AccessKind::load && all_is_written_around(warp, access)) return;
  Mask unwritten;
  const bool may_be_padding = copies_by_byte_ && access.space == Window::local && access.width == 1;
  if (access.kind != AccessKind::store && !may_be_padding && reads(step, access))
    for (const unsigned lane : access.lanes) {
      std::uint64_t address = access.address[lane];
      ByteSet* const bytes = bytes_of(warp, access.space, lane, address);
      if (bytes != nullptr && !bytes->has_any(address, access.width)) unwritten |= Mask::of(lane);
    }
  if (unwritten.any()) report(warp, issue, access, unwritten);
  if (access.kind == AccessKind::load) return;
  for (const unsigned lane : access.lanes) {
    std::uint64_t address = access.address[lane];
    if (ByteSet* const bytes = bytes_of(warp, access.space, lane, address))
      bytes->add(address, access.width);
  }
}

void InitCheck::report(const Warp& warp, const Issue& issue, const Access& access, Mask lanes) {
  Finding* const finding = findings_.note("init", "unwritten", issue.pc);
  if (finding == nullptr) return;
  const std::uint64_t address = access.address[lanes.first()];
  const std::string what = access_text(access.kind, access.width, access.space);
  finding->address = address;
  finding->message = fmt::format("{} at {:#x}, which was never written", what, address);
  finding->sides.push_back(side_of(findings_.request(), actor(warp, issue.pc, lanes), what));
  if (access.space == Window::global)
    if (const Tracked* const tracked = tracked_at(address))
      finding->details =
          fmt::format("byte {} of {}; no copy, fill or kernel has written there",
                      address - tracked->allocation.address, describe(tracked->allocation));
}

}  // namespace heddle::simulator::checks
