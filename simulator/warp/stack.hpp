// The post-dominator stack: lanes that diverge at a branch wait for one another at the branch's
// immediate post-dominator, and of a warp the group on top of the stack alone runs. It is what GPUs
// before sm_70 do in effect (Fung et al., Dynamic Warp Formation and Scheduling for Efficient GPU
// Control Flow, MICRO 2007; NVIDIA's Volta white paper, "Prior NVIDIA GPUs SIMT models").
//
// Classical stacks hold masks that overlap, one below the other. Here the groups stay disjoint, as
// everywhere in the simulator: a Join says which lanes are awaited where, and lanes that have come
// wait in groups of their own until all have, or have ended.
//
// A call opens a Join that has no place: lanes wait there once they have returned, so that what is
// on the stack of a function cannot be met from another one, nor from another level of a recursion.
//
// A group that waits for lanes below it (WARPSYNC, or a flag in memory) waits for ever: the stack
// does not change its order for it. A block barrier counts the whole warp, however few come (PTX,
// barrier, for sm_6x and below).
#pragma once

#include <memory>
#include <vector>

#include "simulator/warp/reconvergence.hpp"
#include "simulator/warp/reconvergence_points.hpp"

namespace heddle::simulator {

class Stack final : public Reconvergence {
 public:
  // The points remember what they worked out, for all warps.
  explicit Stack(std::shared_ptr<ReconvergencePoints> points);
  std::unique_ptr<Reconvergence> clone() const override;
  bool equals(const Reconvergence& other) const override;
  Mask awaited_by(const Group& group) const override;

  Flow branch(const Branch& branch) override;
  Warpsynced warpsync(const Warpsync& sync) override;
  Released exit(Mask lanes) override;
  void wait_at_block_barrier(unsigned number) override;
  void release_block_barrier(unsigned number) override;
  void settle() override;

 private:
  // Lanes that wait for others to reconverge.
  struct Join {
    Mask lanes{};  // that are to come, if they live
    Pc pc;         // where; kNowhere: behind a call, where each returns to
    Pc at;         // the instruction at which they diverged
    friend bool operator==(const Join&, const Join&) = default;
  };
  friend bool operator==(const Stack&, const Stack&) = default;

  void begin() override { joins_.clear(); }
  void await(Mask lanes, Pc at, std::size_t parts);
  bool leave_function(Mask lanes);
  bool meet(Join innermost);
  void choose();

  std::shared_ptr<ReconvergencePoints> points_;
  std::vector<Join> joins_;  // innermost last
};

}  // namespace heddle::simulator
