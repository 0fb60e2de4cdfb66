#include "simulator/execute/grid_barrier.hpp"

#include <algorithm>
#include <cstring>

#include "simulator/memory/memory_journal.hpp"

namespace heddle::simulator {
namespace {

// The word counts blocks; its top bit flips when all have arrived, as that of CUDA C++'s barrier in
// the same place does (cooperative_groups/details/sync.h). So code may use both in turn.
constexpr std::uint32_t kPhase = std::uint32_t{1} << 31;

bool all_have_arrived(const Block& block, std::uint32_t phase) {
  return std::ranges::all_of(block.warps, [&](const Warp& warp) {
    const Mask live = warp.convergence->live();
    return live.within(warp.grid_arrived) && (live.empty() || warp.grid_phase == phase);
  });
}

// The value behind the arrival of one more block.
std::uint32_t count_block(std::uint32_t word, std::uint64_t blocks) {
  const std::uint32_t arrived = (word & ~kPhase) + 1;
  return arrived == blocks ? (word & kPhase) ^ kPhase : (word & kPhase) | arrived;
}

void leave(Warp& warp) {
  warp.grid_arrived = Mask();
  warp.block->at_grid_barrier = false;
}

}  // namespace

std::uint64_t grid_barrier(const Core& core) {
  const std::uint32_t at =
      isa::bank0_layout(core.launch.request->module->cubin().arch).grid_barrier;
  const ConstantBanks& constants = core.launch.constants;
  return constants.read(0, at, 4) << 32 | constants.read(0, at + 4, 4);
}

Meeting meet_grid(Core& core, Warp& warp, Mask lanes, std::uint64_t handle) {
  std::uint32_t word = 0;
  std::byte* const at =
      handle != 0 && handle == grid_barrier(core) ? core.resolve(handle, sizeof word) : nullptr;
  if (at == nullptr) return Meeting::no_such_barrier;
  std::memcpy(&word, at, sizeof word);
  Block& block = *warp.block;
  if ((warp.grid_arrived & lanes).empty()) warp.grid_phase = word & kPhase;
  warp.grid_arrived |= lanes;
  if (!block.at_grid_barrier && all_have_arrived(block, word & kPhase)) {
    block.at_grid_barrier = true;
    ++block.barriers_completed;
    if (core.journal != nullptr) core.journal->before_write({handle}, Mask::of(0), sizeof word);
    word = count_block(word, core.launch.request->grid.count());
    std::memcpy(at, &word, sizeof word);
  }
  if ((word & kPhase) == warp.grid_phase) return Meeting::goes_on;
  leave(warp);
  return Meeting::complete;
}

}  // namespace heddle::simulator
