// What an SM is about to touch lies in many places: warps in blocks, their groups of lanes, their
// registers. Asked for before the SM runs, it comes together.
#include <algorithm>
#include <bit>

#include "simulator/timing/host_lines.hpp"
#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {

// Whether the warp's next instruction waits for what comes at `until` or later.
bool SubCore::waits_beyond(const ResidentWarp& warp, Cycle until) const {
  for (unsigned left = timed(warp).wait_mask; left != 0; left &= left - 1) {
    const Scoreboard& awaited =
        warp.scoreboards[static_cast<unsigned>(std::countr_zero(left)) % kScoreboards];
    if (awaited.unknown != 0 || awaited.zero >= until) return true;
  }
  return false;
}

void SubCore::prefetch_slot(unsigned slot) const {
  prefetch_bytes(&slots_[slot], sizeof(ResidentWarp));
}

void SubCore::prefetch(PrefetchStage stage, Cycle until) const {
  if (next_visit_ >= until) return;
  for_each_slot(slots_.awaited() | waits_.all(), [&](unsigned slot) {
    if (slots_.examine_at(slot) >= until) return;
    if (stage == PrefetchStage::slots) return prefetch_slot(slot);
    const ResidentWarp& warp = slots_[slot];
    if (waits_beyond(warp, until)) return;
    if (stage == PrefetchStage::warps) return prefetch_bytes(warp.warp, sizeof *warp.warp);
    prefetch_bytes(warp.warp->convergence.get(), 2 * kHostLine);
    for (const std::uint16_t row :
         units_.context->rows_ahead.at(std::max(warp.pc, warp.computed_to)))
      prefetch_bytes(warp.warp->rows + std::size_t{row} * kWarpSize,
                     kWarpSize * sizeof(std::uint32_t));
  });
}

// What the access at `pc` will find in memory and in L1; its address is complete.
void SubCore::prefetch_access(const Warp& warp, std::uint32_t pc) const {
  Core& core = units_.context->core;
  const Step& step = core.launch.program->steps[pc];
  const AddressForm& form = step.address;
  if (form.base != AddressForm::Base::pair64 || !warp.convergence->has_current()) return;
  const auto lane = warp.convergence->current().lanes.first();
  const std::uint32_t* const low = source_row(warp, step.a) + lane;
  std::uint64_t address =
      low[0] + (std::uint64_t{low[kWarpSize]} << 32) + static_cast<std::uint64_t>(form.offset);
  if (form.uniform == AddressForm::Base::pair64) {
    const std::uint32_t* const uniform = destination_row(warp, form.uniform_row);
    address += uniform[0] + (std::uint64_t{uniform[kWarpSize]} << 32);
  }
  units_.memory.prefetch(address / kLineBytes);
  if (const std::byte* const there = core.resolve_allocated(address, 1)) {
    __builtin_prefetch(there);
    __builtin_prefetch(there + kHostLine);
  }
}

void Sm::prefetch(PrefetchStage stage, Cycle until) const {
  if (stage == PrefetchStage::sm) return prefetch_bytes(this, sizeof *this);
  if (stage == PrefetchStage::sub_cores) {
    units_.memory.prefetch_unit(until);
    return prefetch_bytes(sub_cores_.data(), sub_cores_.size() * sizeof(SubCore));
  }
  if (stage == PrefetchStage::slots && answered_ != kNever)
    units_.memory.for_each_waiting([this](const Outstanding& who) {
      sub_cores_[who.slot / kSlots].prefetch_slot(who.slot % kSlots);
    });
  for (const SubCore& sub_core : sub_cores_) sub_core.prefetch(stage, until);
}

}  // namespace heddle::simulator::timing
