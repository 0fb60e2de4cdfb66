#include "traces/analysis/branch_profile.hpp"

#include <optional>

#include "isa/attributes.hpp"
#include "simulator/base/code_address.hpp"

namespace heddle::traces {
namespace {

using isa::Effect;
using simulator::Mask;

// Whether it is a branch, EXIT or RET that sends lanes away by a predicate.
bool leaves_by_predicate(const isa::Instruction& in) {
  const Effect effect = isa::effect(in);
  if (effect != Effect::branch && effect != Effect::exit && effect != Effect::ret) return false;
  const bool conditional = in.guard.index != isa::kPT || in.pp.index != isa::kPT;
  return conditional && !isa::branches_on_mask(in);
}

// The lanes that it sends away.
Mask leaving(const isa::Instruction& in, const simulator::WarpView& warp, Mask on) {
  const unsigned index = in.pp.index + (in.pp.uniform ? simulator::kUniformPredicates : 0);
  return on & (in.pp.negated ? ~warp.predicate(index) : warp.predicate(index));
}

void note_access(AccessProfile& profile, const simulator::Access& access) {
  ++profile.executions;
  profile.lanes += access.lanes.count();
  profile.shared = access.space == simulator::Window::shared;
  profile.sectors += profile.shared ? access.counts.wavefronts : access.counts.sectors;
  profile.ideal += profile.shared ? access.counts.wavefronts_ideal : access.counts.sectors_ideal;
  bool same = true;
  std::optional<std::int64_t> stride;
  bool even = true;
  unsigned last = simulator::kWarpSize;
  for (unsigned lane = 0; lane < simulator::kWarpSize; ++lane) {
    if (!access.lanes.has(lane)) continue;
    if (last < simulator::kWarpSize) {
      const auto bytes = static_cast<std::int64_t>(access.address[lane] - access.address[last]);
      const std::int64_t between = bytes / static_cast<std::int64_t>(lane - last);
      same = same && bytes == 0;
      even = even && (!stride || *stride == between);
      stride = between;
    }
    last = lane;
  }
  profile.same += same ? 1 : 0;
  if (stride && even) ++profile.strides[*stride / 4];
}

}  // namespace

BranchProfile::BranchProfile(const isa::Program& program) : program_(program) {
  for (const auto& in : program.instructions)
    leaves_by_predicate_.push_back(in && leaves_by_predicate(*in));
}

// Calls `body` with each context that the lanes are in, and those of them that are in it.
template <typename Body>
void BranchProfile::for_each_context(const WarpState& state, Mask lanes, Body&& body) {
  while (lanes.any()) {
    const Context context = state.context[lanes.first()];
    Mask together;
    for (const unsigned lane : lanes)
      if (state.context[lane] == context) together |= Mask::of(lane);
    body(context, together);
    lanes &= ~together;
  }
}

BranchProfile::WarpState& BranchProfile::state_of(const simulator::WarpView& warp) {
  std::vector<WarpState>& warps = blocks_[warp.block().linear()];
  if (warps.size() <= warp.index()) warps.resize(warp.index() + std::size_t{1});
  return warps[warp.index()];
}

bool BranchProfile::keeps_another() {
  complete_ = complete_ && kept_ < kMostEvents;
  if (complete_) ++kept_;
  return complete_;
}

// Lanes that were under way are at `address`.
void BranchProfile::arrive(WarpState& state, Mask lanes, std::uint64_t address) {
  state.under_way &= ~lanes;
  for (const unsigned lane : lanes) {
    const Leaving& from = state.leaving[lane];
    const bool came_back = from.calls && address == from.site.address + sizeof(isa::Word);
    if (from.calls && !came_back && knows_callers()) {
      const auto [found, is_new] =
          called_.try_emplace({from.site, address}, static_cast<Context>(callers_.size()));
      if (is_new) callers_.push_back(from.site.context);
      state.context[lane] = found->second;
    }
    Ways& ways = ways_[from.site];
    if (from.event < ways.lanes.size()) ways.lanes[from.event][address] |= Mask::of(lane);
  }
}

void BranchProfile::leave(WarpState& state, const simulator::WarpView& warp,
                          const simulator::Issue& next, std::uint64_t address, bool calls) {
  const bool kept = keeps_another();
  for_each_context(state, next.active, [&](Context context, Mask lanes) {
    const Site site{context, address};
    Ways& ways = ways_[site];
    std::size_t event = ways.lanes.size();
    if (kept) {
      ways.events.push_back(
          {static_cast<std::uint32_t>(warp.block().linear()), warp.index(), lanes, Mask()});
      ways.lanes.emplace_back();
    }
    for (const unsigned lane : lanes& next.on) state.leaving[lane] = {site, event, calls};
  });
  state.under_way |= next.on;
}

void BranchProfile::issuing(const simulator::CoreView&, const simulator::WarpView& warp,
                            const simulator::Issue& next) {
  const std::uint64_t address = simulator::code_address_of_index(next.pc);
  WarpState& state = state_of(warp);
  if ((state.under_way & next.active).any()) arrive(state, state.under_way & next.active, address);
  if (!program_.instructions[next.pc]) return;
  const isa::Instruction& in = *program_.instructions[next.pc];
  if (leaves_by_predicate_[next.pc] && keeps_another()) {
    const Mask taken = leaving(in, warp, next.on);
    for_each_context(state, next.active, [&](Context context, Mask lanes) {
      events_[{context, address}].push_back(
          {static_cast<std::uint32_t>(warp.block().linear()), warp.index(), lanes, taken & lanes});
    });
  }
  const Effect effect = isa::effect(in);
  if (effect == Effect::call || effect == Effect::indirect_branch)
    leave(state, warp, next, address, effect == Effect::call);
  if (effect == Effect::ret)
    for (const unsigned lane : next.on) {
      Context& context = state.context[lane];
      context = callers_[context];
    }
}

void BranchProfile::issued(const simulator::CoreView&, const simulator::WarpView& warp,
                           const simulator::Issue& issue) {
  if (issue.accesses.empty()) return;
  const std::uint64_t address = simulator::code_address_of_index(issue.pc);
  const WarpState& state = state_of(warp);
  for (const simulator::Access& access : issue.accesses)
    for_each_context(state, access.lanes, [&](Context context, Mask) {
      note_access(accesses_[{context, address}], access);
    });
}

void BranchProfile::block_ended(const simulator::CoreView&, const simulator::BlockView& block) {
  blocks_.erase(block.linear());
}

const std::vector<BranchEvent>& BranchProfile::events(Context context,
                                                      std::uint64_t address) const {
  static const std::vector<BranchEvent> none;
  const auto found = events_.find({context, address});
  return found == events_.end() ? none : found->second;
}

const AccessProfile* BranchProfile::accesses(Context context, std::uint64_t address) const {
  const auto found = accesses_.find({context, address});
  return found == accesses_.end() ? nullptr : &found->second;
}

const BranchProfile::Ways* BranchProfile::ways(Context context, std::uint64_t address) const {
  const auto found = ways_.find({context, address});
  return found == ways_.end() ? nullptr : &found->second;
}

std::optional<BranchProfile::Context> BranchProfile::called(Context context, std::uint64_t address,
                                                            std::uint64_t entry) const {
  const auto found = called_.find({{context, address}, entry});
  if (found == called_.end()) return std::nullopt;
  return found->second;
}

}  // namespace heddle::traces
