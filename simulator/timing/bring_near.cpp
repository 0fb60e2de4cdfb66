// What an SM is about to touch lies in many places: warps in blocks, their groups of lanes, their
// registers. Asked for before the SM runs, it comes together.
#include <algorithm>
#include <bit>

#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::size_t kHostLine = 64;
constexpr std::uint32_t kNextInstructions = 6;  // a warp may issue some in a quantum

void prefetch(const void* first, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kHostLine)
    __builtin_prefetch(static_cast<const std::byte*>(first) + at);
}

// The rows that an instruction reads, and the first that it writes.
void prefetch_rows(const Warp& warp, const Step& step) {
  constexpr std::size_t kRowBytes = kWarpSize * sizeof(std::uint32_t);
  for (const RowOffset row : {step.a, step.b, step.c})
    if (row >= 0) prefetch(source_row(warp, row), kRowBytes);
  prefetch(destination_row(warp, step.d), kRowBytes);
  if (step.address.base == AddressForm::Base::pair64)
    prefetch(source_row(warp, step.a) + kWarpSize, kRowBytes);
}

}  // namespace

void Sm::bring_near(Near stage, Cycle until) const {
  if (stage == Near::sm) return prefetch(this, sizeof *this);
  if (stage == Near::sub_cores)
    return prefetch(sub_cores_.data(), sub_cores_.size() * sizeof(SubCore));
  for (const SubCore& sub : sub_cores_) {
    if (sub.next_visit >= until) continue;
    for (SlotMask left = sub.resident; left != 0; left &= left - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(left));
      if (sub.look_again[slot] >= until) continue;
      const ResidentWarp& warp = sub.slots[slot];
      if (stage == Near::slots) {
        prefetch(&warp, sizeof warp);
      } else if (stage == Near::warps) {
        prefetch(warp.warp, sizeof *warp.warp);
      } else {
        prefetch(warp.warp->convergence.groups().data(), sizeof(Group));
        const Step* const steps = context_.core.launch.program->steps.data();
        const auto end = static_cast<std::uint32_t>(context_.core.launch.program->steps.size());
        for (std::uint32_t pc = warp.pc; pc < std::min(end, warp.pc + kNextInstructions); ++pc)
          prefetch_rows(*warp.warp, steps[pc]);
      }
    }
  }
}

}  // namespace heddle::simulator::timing
