#include "simulator/launch/views.hpp"

#include "simulator/execute/machine.hpp"
#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator {

std::uint32_t WarpView::index() const { return warp_->index; }
BlockView WarpView::block() const { return *warp_->block; }
Mask WarpView::live() const { return warp_->convergence->live(); }
const Groups& WarpView::groups() const { return warp_->convergence->groups(); }
const Group* WarpView::current() const {
  const Reconvergence& convergence = *warp_->convergence;
  return convergence.has_current() ? &convergence.current() : nullptr;
}
Mask WarpView::barrier(unsigned index) const { return warp_->convergence->barrier(index); }
Mask WarpView::awaited_by(const Group& group) const {
  return warp_->convergence->awaited_by(group);
}
RowView WarpView::row(std::size_t row) const {
  return RowView(warp_->rows + row * kWarpSize, kWarpSize);
}
Mask WarpView::predicate(unsigned index) const { return warp_->predicates[index]; }
Mask WarpView::predicate(const PredicateRef& reference) const {
  return warp_->predicate(reference);
}
const std::array<Mask, 17>& WarpView::predicates() const { return warp_->predicates; }

std::uint64_t BlockView::linear() const { return block_->linear; }
Dim3 BlockView::index() const { return block_->index; }
std::uint32_t BlockView::sm() const { return block_->sm; }
std::size_t BlockView::warps() const { return block_->warps.size(); }
WarpView BlockView::warp(std::size_t index) const { return block_->warps[index]; }
std::uint64_t BlockView::barriers_completed() const { return block_->barriers_completed; }
std::span<const std::byte> BlockView::shared() const { return block_->shared; }

std::uint64_t CoreView::issued() const { return core_->issued; }
std::optional<std::uint64_t> CoreView::cycle() const {
  return core_->cycle != nullptr ? std::optional(*core_->cycle) : std::nullopt;
}
const LaunchRequest& CoreView::request() const { return *core_->launch.request; }
const DeviceMemory& CoreView::memory() const { return *core_->launch.memory; }
std::uint32_t CoreView::entry() const { return core_->launch.entry; }
const MicroOp& CoreView::instruction(std::uint32_t pc) const {
  return core_->launch.program->steps[pc];
}
std::uint32_t CoreView::branch_target(std::uint32_t pc) const {
  return core_->launch.program->steps[pc].target;
}
unsigned CoreView::access_bytes(std::uint32_t pc) const {
  return core_->launch.program->steps[pc].width;
}
Mask CoreView::writes_besides(std::uint32_t pc) const {
  return core_->launch.program->steps[pc].widen;
}
const std::byte* CoreView::local(const WarpView& warp, unsigned lane, std::uint64_t address,
                                 std::uint64_t bytes) const {
  return local_view(*core_, warp.machine(), lane, address, bytes);
}

}  // namespace heddle::simulator
