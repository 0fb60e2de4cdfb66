#include "simulator/warp/reconvergence.hpp"

#include <algorithm>
#include <utility>

#include "simulator/warp/min_pc.hpp"
#include "simulator/warp/patched_code.hpp"
#include "simulator/warp/stack.hpp"

namespace heddle::simulator {

void Reconvergence::start(Mask lanes, Pc pc) {
  live_ = lanes;
  replaying_ = Mask();
  released_by_block_ = false;
  halt_ = {};
  groups_.clear();
  begin();
  groups_.push_back({.lanes = lanes, .pc = pc});
}

bool Reconvergence::others_ready() const {
  return std::ranges::count_if(groups_, &Group::ready) > 1;
}

Mask Reconvergence::waiting_at_block_barrier(unsigned number) const {
  Mask lanes;
  for (const Group& group : groups_)
    if (group.wait == Wait::block_barrier && group.index == number) lanes |= group.lanes;
  return lanes.any() && whole_warp_arrives_ ? live_ : lanes;
}

bool Reconvergence::begin_replay() {
  const bool replayed = replays();
  replaying_ &= ~current().lanes;
  return replayed;
}

bool Reconvergence::end_lanes(Mask lanes) {
  live_ &= ~lanes;
  current().lanes &= ~lanes;
  if (current().lanes.any()) return true;
  groups_.pop_back();
  return false;
}

MakeReconvergence reconvergence_by(ReconvergencePolicy policy, const isa::Cubin* cubin,
                                   const isa::Program* program, bool patched) {
  switch (policy) {
    case ReconvergencePolicy::barriers:
      if (patched) return [] { return std::make_unique<PatchedCode>(); };
      return [] { return std::make_unique<Barriers>(); };
    case ReconvergencePolicy::stack:
      return [points = std::make_shared<ReconvergencePoints>(*cubin, *program)] {
        return std::make_unique<Stack>(points);
      };
    case ReconvergencePolicy::min_pc:
      return [] { return std::make_unique<MinPc>(); };
  }
  return {};
}

}  // namespace heddle::simulator
