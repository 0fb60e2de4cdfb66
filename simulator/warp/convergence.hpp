// Which lanes of a warp run together, and who waits where: the machinery behind BSSY, BSYNC, BREAK,
// WARPSYNC, YIELD, EXIT and block barriers on sm_70 and later.
//
// A warp is a set of groups: disjoint sets of lanes that share a program counter. One group is
// current and executes; others are ready or wait. Lanes that were split by a branch meet again only
// where a barrier holds them until all are there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/base/types.hpp"

namespace heddle::simulator {

class ReconvergencePolicy;  // simulator/warp/reconvergence_policy.hpp

inline constexpr unsigned kConvergenceBarriers = 16;

enum class Wait : std::uint8_t {
  none,
  convergence_barrier,  // at BSYNC, for the lanes of barrier registers[index]
  warp_sync,            // at WARPSYNC, for the lanes of `partners`
  block_barrier,        // at BAR, barrier number `index`
  reconvergence,        // at pc, where a policy has the lanes meet
};

struct Group {
  Mask lanes = 0;
  std::uint32_t pc = 0;  // index of the next instruction
  Wait wait = Wait::none;
  std::uint8_t index = 0;
  Mask partners = 0;
  // At WARPSYNC.COLLECTIVE: where its body begins; pc is behind it.
  static constexpr std::uint32_t kNowhere = ~0u;
  std::uint32_t body = kNowhere;
  // The lanes went through the instruction at pc and were left there, because it parts lanes in two
  // at a time: they go through it again, which is not a further execution.
  bool again = false;
  // Where it stood when it was chosen with all lanes that stand there, if this is a BSYNC at which
  // others have been before.
  std::uint32_t gathers_at = kNowhere;
  // Was let go from the BSYNC at pc, which it goes through again before anything else.
  bool let_go = false;
  // Was chosen with lanes that waited at the BSYNC at pc.
  bool with_waiting = false;
  // Waits on the stack of those whose turn comes before lanes are looked for
  // (convergence_turns.cpp).
  bool stacked = false;
  // Stands behind an instruction that it went through, not where a jump led. In code that a
  // profiler has patched these are two places.
  bool behind = false;
  bool yielded = false;     // has not run since its YIELD
  std::uint16_t depth = 0;  // calls it is in, where a policy counts them
  friend bool operator==(const Group&, const Group&) = default;
};

// Where a part of a group goes on.
struct Part {
  Mask lanes = 0;
  std::uint32_t pc = 0;
};

// What parted a group, or sent it elsewhere.
enum class Way : std::uint8_t { branch, call, ret };

class Convergence {
 public:
  // Without a policy (null) convergence barriers say who runs together, by what is below. With one
  // they say nothing: instructions that set them or wait at them are not to be executed.
  // `patched`: groups meet as they do in code that a profiler has patched to count its instructions
  // (docs/experiments/divergence-order.md, "Code that counts itself").
  void start(Mask lanes, std::uint32_t pc, const ReconvergencePolicy* policy = nullptr,
             bool patched = false);
  const ReconvergencePolicy* policy() const { return policy_; }
  // Whether the current group, having come to `pc`, is to stop for its policy to look at it.
  bool halts_at(std::uint32_t pc) const { return pc - halt_.first < halt_.count; }

  Mask live() const { return live_; }
  bool finished() const { return live_ == 0; }
  Mask barrier(unsigned index) const { return barriers_[index]; }
  // BSSY: the lanes join those that the barrier has; it has none once it has let them go.
  void join_barrier(unsigned index, Mask lanes);
  void clear_barrier(unsigned index);                // BMOV.CLEAR
  void restore_barrier(unsigned index, Mask lanes);  // BMOV
  // Whether the barrier's lanes came from a register.
  bool restored(unsigned index) const { return (restored_ >> index & 1) != 0; }
  const std::vector<Group>& groups() const { return groups_; }

  // The group that executes. Valid while has_current().
  bool has_current() const { return !groups_.empty() && groups_.back().wait == Wait::none; }
  Group& current() { return groups_.back(); }
  const Group& current() const { return groups_.back(); }

  // The current group splits: `lanes` (a proper part of it) go to `pc` and wait their turn; the
  // rest stays current.
  //
  // Of the groups that wait their turn, all but the next one become one where they stand at the
  // same instruction (docs/experiments/divergence-order.md, 5).
  void split_off(Mask lanes, std::uint32_t pc);
  // As split_off, to go through the instruction at `pc` again.
  void leave_behind(Mask lanes, std::uint32_t pc);
  // As split_off, but the new group runs first.
  void split_off_first(Mask lanes, std::uint32_t pc);

  // The current group, whose pc is already past the instruction, waits.
  // Both return how many groups this arrival let go on together; 0: others are waited for.
  unsigned wait_convergence_barrier(unsigned index);
  // Lanes that the last wait_convergence_barrier took through their BSYNC again.
  Mask joined() const { return joined_; }
  unsigned wait_warp_sync(Mask partners);
  // At WARPSYNC.COLLECTIVE: when all have come, or those that have not have ended, their lanes
  // become the current group, at the pc of those that came last, until end_collective; the others
  // then go on at `behind`.
  unsigned wait_collective(Mask partners, std::uint32_t behind);
  // The lanes that came last go on; the others, one group for each place, wait their turn.
  void end_collective();
  void wait_block_barrier(unsigned number);
  // All groups that wait at this block barrier go on.
  void release_block_barrier(unsigned number);
  // Whether one has let groups go since the warp's turn began.
  bool let_go() const { return let_go_; }
  void begin_turn() { let_go_ = false; }
  Mask waiting_at_block_barrier(unsigned number) const;

  void leave_barrier(unsigned index, Mask lanes);  // BREAK
  void exit(Mask lanes);                           // lanes of the current group
  // The current group lets the others run first, those too that wait at BSYNC, perhaps for what it
  // spins on (docs/experiments/divergence-order.md, 9). False: there is no other to run.
  bool yield();
  bool others_ready() const;
  // The current group comes to an instruction that accesses memory: what counts it, in patched
  // code, makes the group that is next in turn join those behind it.
  void at_access() {
    if (patched_ && groups_.size() > 2) displace_by_access();
  }
  // Whether groups met, or did not, where they would have done otherwise in code without patches.
  bool patches_show() const { return patches_show_; }

  // Lanes that wait for others to reconverge, where a policy keeps them on a stack; innermost last.
  struct Join {
    Mask lanes = 0;        // that are to come, if they live
    std::uint32_t pc = 0;  // where; kNowhere: behind a call, where each returns to
    std::uint32_t at = 0;  // the instruction that parted them
    friend bool operator==(const Join&, const Join&) = default;
  };
  static constexpr std::uint32_t kNowhere = ~0u;
  const std::vector<Join>& joins() const { return joins_; }
  // The lanes that a group waits for which is to reconverge (Wait::reconvergence).
  Mask awaited_by(const Group& group) const;

 private:
  friend class ReconvergencePolicy;
  void choose();
  void choose_by_lane();
  void go_on(Group chosen);
  void start_turn(Mask along);
  bool may_be_chosen(const Group& group) const;
  bool any_stacked() const;
  bool same_place(const Group& one, const Group& other);
  bool displace_next();
  void displace_by_access();
  void push_next(const Group& group);
  void push_current(const Group& group, bool running);
  std::size_t release_met(bool running);
  Mask gather_waiting();
  bool only_yielded_ready() const;
  Mask waiting_at_barriers() const;
  unsigned open_barrier(unsigned index);
  template <typename Released>
  std::size_t release(bool running, Released&& is_released);
  template <typename Collected>
  std::size_t collect(bool running, Collected&& is_collected);

  Mask live_ = 0;
  std::array<Mask, kConvergenceBarriers> barriers_{};
  std::uint32_t restored_ = 0;  // bit i: barrier i was written by BMOV
  Mask joined_ = 0;
  unsigned next_lane_ = 0;  // where the search for a lane to go on begins
  bool patched_ = false;
  bool patches_show_ = false;
  bool let_go_ = false;
  bool has_next_ = false;  // a group was put next in turn, and not chosen since
  // Order of turn: the last ready group is the current one and stands at the back.
  std::vector<Group> groups_;
  // Between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE: the lanes that do not go on first, by place.
  std::vector<Group> collected_;
  bool collecting_ = false;
  bool more_to_collect_ = false;  // whom the same lanes, by ending, have let go meanwhile

  const ReconvergencePolicy* policy_ = nullptr;
  std::vector<Join> joins_;
  struct {
    std::uint32_t first = 0, count = 0;
  } halt_;  // instructions before which the current group stops
};

}  // namespace heddle::simulator
