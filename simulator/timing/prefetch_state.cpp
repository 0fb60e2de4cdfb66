// What an SM is about to touch lies in many places: warps in blocks, their groups of lanes, their
// registers. Asked for before the SM runs, it comes together.
#include <algorithm>
#include <bit>

#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::size_t kHostLine = 64;

void prefetch(const void* first, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kHostLine)
    __builtin_prefetch(static_cast<const std::byte*>(first) + at);
}

}  // namespace

// Whether the warp's next instruction waits for what comes at `until` or later.
bool Sm::waits_beyond(const ResidentWarp& warp, Cycle until) const {
  const Timed& timed = context_->program.instructions[warp.pc];
  for (unsigned left = timed.wait_mask; left != 0; left &= left - 1) {
    const Scoreboard& awaited =
        warp.scoreboards[static_cast<unsigned>(std::countr_zero(left)) % kScoreboards];
    if (awaited.unknown != 0 || awaited.zero >= until) return true;
  }
  return false;
}

void Sm::bring_near(Near stage, Cycle until) const {
  if (stage == Near::sm) return prefetch(this, sizeof *this);
  if (stage == Near::sub_cores) {
    memory_.bring_near();
    return prefetch(sub_cores_.data(), sub_cores_.size() * sizeof(SubCore));
  }
  if (stage == Near::slots && answered_ != kNever)
    memory_.for_each_waiting([this](const Outstanding& who) {
      prefetch(&sub_cores_[who.slot / kSlots].slots[who.slot % kSlots], sizeof(ResidentWarp));
    });
  for (const SubCore& sub : sub_cores_) {
    if (sub.next_visit >= until) continue;
    for (SlotMask left = sub.resident; left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(left));
      if (sub.look_again[slot] >= until) continue;
      const ResidentWarp& warp = sub.slots[slot];
      if (stage == Near::slots) {
        prefetch(&warp, sizeof warp);
      } else if (waits_beyond(warp, until)) {
        continue;
      } else if (stage == Near::warps) {
        prefetch(warp.warp, sizeof *warp.warp);
      } else {
        prefetch(warp.warp->convergence.get(), 2 * kHostLine);
        for (const std::uint16_t row : context_->rows_ahead.at(warp.pc))
          prefetch(warp.warp->rows + std::size_t{row} * kWarpSize,
                   kWarpSize * sizeof(std::uint32_t));
      }
    }
  }
}

// What the access at `pc` will find in memory and in L1; its address is complete.
void Sm::bring_accessed_near(const Warp& warp, std::uint32_t pc) const {
  Core& core = context_->core;
  const Step& step = core.launch.program->steps[pc];
  const AddressForm& form = step.address;
  if (form.base != AddressForm::Base::pair64 || !warp.convergence->has_current()) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.convergence->current().lanes));
  const std::uint32_t* const low = source_row(warp, step.a) + lane;
  std::uint64_t address =
      low[0] + (std::uint64_t{low[kWarpSize]} << 32) + static_cast<std::uint64_t>(form.offset);
  if (form.uniform == AddressForm::Base::pair64) {
    const std::uint32_t* const uniform = destination_row(warp, form.uniform_row);
    address += uniform[0] + (std::uint64_t{uniform[kWarpSize]} << 32);
  }
  memory_.bring_near(address / kLineBytes);
  if (const std::byte* const there = core.resolve_allocated(address, 1)) {
    __builtin_prefetch(there);
    __builtin_prefetch(there + kHostLine);
  }
}

}  // namespace heddle::simulator::timing
