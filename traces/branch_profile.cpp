#include "traces/branch_profile.hpp"

#include <bit>
#include <optional>

namespace heddle::traces {
namespace {

using simulator::Mask;

// Lanes that a branch or EXIT sends away.
std::optional<Mask> leaving(const isa::Instruction& in, const simulator::Warp& warp, Mask on) {
  if (in.op != isa::Op::BRA && in.op != isa::Op::EXIT) return std::nullopt;
  if (in.op == isa::Op::BRA && in.mod(isa::Mod::cond) >= 2) return std::nullopt;  // .DIV, .CONV
  const bool conditional = in.guard.index != isa::kPT || in.pp.index != isa::kPT;
  if (!conditional) return std::nullopt;
  const unsigned index = in.pp.index + (in.pp.uniform ? simulator::kUniformPredicates : 0);
  return on & warp.predicate(index, in.pp.negated ? simulator::kFullMask : 0);
}

}  // namespace

BranchProfile::BranchProfile(const isa::Program& program, const isa::CodeRange& range)
    : program_(program), first_(range.address), end_(range.address + range.size) {}

void BranchProfile::issuing(const simulator::Core&, const simulator::Warp& warp,
                            const simulator::Issue& next) {
  const std::uint64_t address = simulator::code_address_of_index(next.pc);
  if (address < first_ || address >= end_ || !program_.instructions[next.pc]) return;
  const auto taken = leaving(*program_.instructions[next.pc], warp, next.on);
  if (!taken) return;
  if (++kept_ > kMostEvents) {
    complete_ = false;
    return;
  }
  events_[address].push_back(
      {static_cast<std::uint32_t>(warp.block->linear), warp.index, next.active, *taken});
}

void BranchProfile::issued(const simulator::Core&, const simulator::Warp&,
                           const simulator::Issue& issue) {
  for (const simulator::Access& access : issue.accesses) {
    if (access.lanes == 0) continue;
    AccessProfile& profile = accesses_[simulator::code_address_of_index(issue.pc)];
    ++profile.executions;
    profile.lanes += static_cast<unsigned>(std::popcount(access.lanes));
    profile.shared = access.space == simulator::Window::shared;
    profile.sectors += profile.shared ? access.counts.wavefronts : access.counts.sectors;
    profile.ideal += profile.shared ? access.counts.wavefronts_ideal : access.counts.sectors_ideal;
    bool same = true;
    std::optional<std::int64_t> stride;
    bool even = true;
    unsigned last = 32;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((access.lanes >> lane & 1) == 0) continue;
      if (last < 32) {
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
}

const std::vector<BranchEvent>& BranchProfile::events(std::uint64_t address) const {
  static const std::vector<BranchEvent> none;
  const auto found = events_.find(address);
  return found == events_.end() ? none : found->second;
}

const AccessProfile* BranchProfile::accesses(std::uint64_t address) const {
  const auto found = accesses_.find(address);
  return found == accesses_.end() ? nullptr : &found->second;
}

}  // namespace heddle::traces
