// Where lanes that a branch parts meet again at the latest, whatever they do in between: the
// branch's immediate post-dominator.
//
// Lanes that end do not come back, so paths to an EXIT (or a RET) that not all ways of the branch
// can reach are left out: `if (bad) return;` within one arm does not put off where the arms meet.
// Where the ways have no end in common, but all lead back to the branch, paths end there: arms
// within an endless loop meet before its next round.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isa/control_flow.hpp"

namespace heddle::simulator {

class ReconvergencePoints {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // Both must outlive it.
  ReconvergencePoints(const isa::Cubin& cubin, const isa::Program& program)
      : cubin_(cubin), program_(program) {}

  // The index of the instruction before which lanes meet that part at the one with this index;
  // kNone: they meet nowhere before they end or return. An instruction that parts lanes though it
  // does not end a basic block, as a call that returns to several places, parts them at its
  // block's end. Worked out when first asked for.
  std::uint32_t after(std::uint32_t index);

 private:
  using Ends = std::vector<std::uint32_t>;  // blocks where paths end, ascending

  struct Function {
    isa::ControlFlow flow;
    std::map<Ends, isa::DominatorTree> trees;
  };

  Function& function_at(const isa::CodeRange& range);
  std::uint32_t find(std::uint64_t address);
  bool only_ends(const isa::BasicBlock& block) const;

  const isa::Cubin& cubin_;
  const isa::Program& program_;
  std::unordered_map<std::uint32_t, std::uint32_t> found_;
  std::unordered_map<const isa::CodeRange*, std::unique_ptr<Function>> functions_;
};

}  // namespace heddle::simulator
