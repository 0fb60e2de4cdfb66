// Convergence barriers: how the hardware from sm_70 on runs the lanes of a warp. The rules are
// those of docs/experiments/divergence-order.md, named here by their numbers, and were read from an
// H200.
//
// Its state is small: for each lane whether it can run, has yielded, or what it waits for; a stack
// of groups that wait their turn; the lane at which the search for others continues; and sixteen
// barriers, each a set of lanes. What a state means for the other lanes is settled when a group
// stops running (barriers_turns.cpp) and when it comes to a barrier (barriers.cpp) or to WARPSYNC
// (barriers_warpsync.cpp).
#pragma once

#include <array>
#include <optional>

#include "simulator/base/big_pages.hpp"
#include "simulator/warp/reconvergence.hpp"

namespace heddle::simulator {

class Barriers : public Reconvergence {
 public:
  // A timed launch has those of all warps of a GPU, and goes from one to the other.
  static void* operator new(std::size_t bytes) {
    return take_from_big_pages(bytes, Fresh::anything);
  }
  static void operator delete(void* memory) { give_back_to_big_pages(memory); }

  std::unique_ptr<Reconvergence> clone() const override;
  bool equals(const Reconvergence& other) const override;
  Mask barrier(unsigned index) const override { return barriers_[index]; }
  bool restored(unsigned index) const override { return (restored_ >> index & 1) != 0; }
  std::optional<std::uint32_t> state_register(unsigned number) const override;

  Flow branch(const Branch& branch) override;
  Flow bssy(unsigned index, Mask lanes) override;
  Bsync bsync(unsigned index) override;
  Released leave_barrier(unsigned index, Mask lanes) override;
  Flow bmov_clear(unsigned index) override;
  Flow bmov_write(unsigned index, Mask lanes) override;
  Warpsynced warpsync(const Warpsync& sync) override;
  Flow end_collective() override;
  Flow yield() override;
  Released exit(Mask lanes) override;
  void wait_at_block_barrier(unsigned number) override;
  void release_block_barrier(unsigned number) override;

 protected:
  friend bool operator==(const Barriers&, const Barriers&) = default;
  void begin() override;

  // What a profiler's patches change (patched_code.hpp).
  // Ready lanes stand at the same PC: whether it is the same place.
  virtual bool at_one_place(Mask /*one*/, Mask /*other*/) { return true; }
  // Whether lanes that come to a BSYNC stand where those do that have been there.
  virtual bool meets_at_bsync() const { return true; }
  // A group was chosen at a BSYNC without those that have been there.
  virtual void passed_over() {}
  // Whether lanes that wait at a BSYNC can be searched for while others wait for the block.
  virtual bool searched_beside_block_barrier(const Group& group) const;
  virtual void turn_started(Mask /*lanes*/) {}
  bool displace_front();

 private:
  // Where a group stands that waits its turn: those of equal place become one.
  struct Place {
    Pc pc;  // of lanes that were in a collective: behind its ENDCOLLECTIVE
    bool replaying = false, released = false, left_collective = false;
    friend bool operator==(const Place&, const Place&) = default;
  };
  Place place_of(const Group& group) const;
  // Lanes that wait for one another, at a barrier or at WARPSYNC.
  struct Meeting {
    Group waiting;    // one of the groups
    Mask expected{};  // lanes
    bool includes(const Group& group) const;
  };
  bool in(Mask state, const Group& group) const { return (state & group.lanes).any(); }
  bool stacked(const Group& group) const { return in(stacked_, group); }
  unsigned thread_state(const Group& group) const;
  bool has_been_at_bsync(const Group& group, Pc pc) const;

  // Turns.
  void stack(const Group& group);
  void set_aside_current();
  void run_before_current(const Group& group, bool running);
  Group* top_of_stack();
  void choose();
  void search();
  bool may_be_found(const Group& group) const;
  void run_all_at(Group* chosen);
  Mask join_ready(const Place& place, Mask chosen);
  void start_turn(Mask along);

  // Barriers.
  Bsync wait_for_missing(unsigned index, Mask missing, Mask taken_along);
  Mask lanes_missing(unsigned index) const;
  bool can_still_come(Mask lanes) const;
  bool only_yielded_ready() const;
  Mask take_along();
  Bsync pass(unsigned index, Mask taken_along);
  unsigned open(unsigned index);
  void release_elsewhere(unsigned index);
  void leave_waiting(unsigned index, Mask lanes);
  Mask lanes_elsewhere() const;
  std::size_t release_met(bool running);
  std::size_t release(const Meeting& meeting, bool running);
  bool current_runs_first(const Meeting& meeting, Mask released) const;
  template <typename Event>
  Groups released_by(Event&& event);

  // WARPSYNC.
  Mask complete_lanes(const Warpsync& sync) const;
  bool all_have_come(const Group& waiting) const;
  std::size_t collect(const Meeting& meeting, bool running);
  void run_from_collective(Group* chosen);
  void stack_left_collective(Pc end);
  void forget_left_collective();
  bool waits_for_collective(const Group& group) const;
  Group* left_collective_at(const Group& waiting);
  void leave_at(Pc pc, Mask lanes);

  std::array<Mask, kConvergenceBarriers> barriers_{};
  std::uint32_t restored_ = 0;  // bit i: BMOV wrote barrier i

  // States of lanes that are ready but not running. None: they can run.
  Mask stacked_;          // wait their turn on the stack, in the order of the groups
  Mask yielded_;          // and have not run since
  Mask released_;         // from the BSYNC at their PC, which they replay
  Mask left_collective_;  // and have not run since

  bool has_front_ = false;    // the top of the stack was put there, and is kept as it is
  unsigned search_lane_ = 0;  // where the search for a lane that can run continues
  // Of the current group: where it was chosen, if that is a BSYNC at which others have been, and
  // whether some of its lanes waited there.
  std::uint32_t chosen_at_bsync_ = kNowhere;
  bool waited_at_bsync_ = false;

  // Of a group that came to a WARPSYNC.COLLECTIVE with several masks: the lanes that are still to
  // execute it, and whether others have left the collective meanwhile.
  Mask other_masks_;
  bool left_before_others_ = false;
  // Between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE: the lanes that do not go on first.
  std::vector<Group> collected_;
  bool collecting_ = false;
  bool more_to_collect_ = false;  // another collective was met meanwhile
};

}  // namespace heddle::simulator
