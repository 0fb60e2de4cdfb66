// Who of a warp runs, and where its lanes meet, where not the code's convergence barriers say so
// (simulator/warp/convergence.hpp): one of these is chosen for a launch.
#pragma once

#include <memory>
#include <span>

#include "simulator/warp/convergence.hpp"
#include "simulator/warp/reconvergence.hpp"

namespace heddle::simulator {

class Module;

class ReconvergencePolicy {
 public:
  virtual ~ReconvergencePolicy() = default;

  // The current group has executed the instruction at index `at`, and its lanes go on at `parts`
  // (all of them, each lane once; at one place or more), those at the front first where it matters.
  // `way` is what the instruction was; a part of a call that goes on at at + 1 did not call.
  virtual void part(Convergence& warp, std::uint32_t at, std::span<const Part> parts,
                    Way way) const = 0;
  // Lanes have ended, wait, were let go, or came to where they halt: settles which group is the
  // current one, and where it halts next.
  virtual void settle(Convergence& warp) const = 0;

  // WARPSYNC: the current group waits for the lanes it names; false where they are all there.
  // They may never come: then the warp has no current group any more.
  virtual bool wait_warp_sync(Convergence& warp, Mask named) const = 0;
  // WARPSYNC.COLLECTIVE and ENDCOLLECTIVE (Convergence::wait_collective); false as above.
  virtual bool wait_collective(Convergence& warp, Mask named, std::uint32_t behind) const = 0;
  virtual bool end_collective(Convergence& warp) const = 0;

  // Whether a group that comes to a block barrier arrives for its whole warp.
  virtual bool barriers_take_warps() const = 0;

 protected:
  // What policies work with.
  static std::vector<Group>& groups(Convergence& warp) { return warp.groups_; }
  static std::vector<Convergence::Join>& joins(Convergence& warp) { return warp.joins_; }
  static std::vector<Group>& collected(Convergence& warp) { return warp.collected_; }
  static void halt_at(Convergence& warp, std::uint32_t first, std::uint32_t count) {
    warp.halt_ = {first, count};
  }
};

// Null for convergence barriers. Keeps a reference to the module; for one host thread.
std::unique_ptr<ReconvergencePolicy> make_policy(Reconvergence kind, const Module* module);

// The kinds there are; made by make_policy.
std::unique_ptr<ReconvergencePolicy> make_stack_policy(const Module& module);
std::unique_ptr<ReconvergencePolicy> make_min_pc_policy();

}  // namespace heddle::simulator
