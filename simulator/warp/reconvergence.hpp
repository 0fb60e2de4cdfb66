// How the lanes of one warp diverge and reconverge: what every policy answers to.
//
// The core executes the current group and tells of each instruction that bears on which lanes run
// together. The policy settles who waits and who is the current group then. `barriers.hpp` is the
// hardware from sm_70 on, `stack.cpp` what came before, `min_pc.cpp` a proposal without state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/warp/flow.hpp"
#include "simulator/warp/groups.hpp"
#include "simulator/warp/reconvergence_policies.hpp"

namespace heddle::isa {
struct Cubin;
struct Program;
}  // namespace heddle::isa

namespace heddle::simulator {

// Where a part of a group goes on.
struct Part {
  Mask lanes{};
  Pc pc;  // kNowhere: there is no instruction
};

struct Branch {
  enum class Kind : std::uint8_t { jump, call, ret };
  Pc at;                        // the instruction
  std::span<const Part> parts;  // each lane once; those that run first come first
  Kind kind = Kind::jump;       // a part of a call that goes on at at + 1 did not call
  bool indirect = false;        // each lane goes to an address of its own
};

struct Warpsync {
  enum class Form : std::uint8_t { plain, exclusive, collective };
  Pc at;  // the instruction
  Form form = Form::plain;
  Mask active{};
  const std::uint32_t* masks = nullptr;  // the lanes that each lane names; null: all
  Pc behind;                             // of a collective: behind its ENDCOLLECTIVE
};

// What an event did. Beyond `flow` it is for the hardware's own counters alone.
struct Released {
  Flow flow = Flow::reschedule;
  Groups groups;  // that no longer wait at their BSYNC, as they waited
};
// (As wide as it is, it is returned in memory. In registers it would be put together by stores of
// its parts and loads of more than one, which wait for them.)
struct Bsync {
  Flow flow = Flow::next;
  std::size_t met = 0;  // groups that go on together; 0: the lanes wait, or were never awaited
  Mask taken_along{};   // lanes that had been at this BSYNC before
};
struct Warpsynced {
  Flow flow = Flow::next;
  std::size_t masks = 0;  // that the lanes named; 0: does not count as a branch
  unsigned met = 0;       // as in Bsync
  Mask partners{};        // that met
  bool refused = false;   // the lanes name several masks, which the policy cannot keep apart
};

class Reconvergence {
 public:
  virtual ~Reconvergence() = default;
  virtual std::unique_ptr<Reconvergence> clone() const = 0;
  // Whether `other`, of the same policy, is in the same state.
  virtual bool equals(const Reconvergence& other) const = 0;

  // A warp begins: `lanes` run together from `pc` on.
  void start(Mask lanes, Pc pc);

  Mask live() const { return live_; }
  bool finished() const { return live_.empty(); }
  const Groups& groups() const { return groups_; }
  // The group that executes. Valid while has_current().
  bool has_current() const { return !groups_.empty() && groups_.back().ready(); }
  Group& current() { return groups_.back(); }
  const Group& current() const { return groups_.back(); }
  bool others_ready() const;
  Mask waiting_at_block_barrier(unsigned number) const;
  // The lanes of a convergence barrier, and whether BMOV wrote them.
  virtual Mask barrier(unsigned) const { return Mask(); }
  virtual bool restored(unsigned) const { return false; }
  // What BMOV reads of the hardware's state; nothing where the policy has no such register.
  virtual std::optional<std::uint32_t> state_register(unsigned /*number*/) const {
    return std::nullopt;
  }
  // The lanes that a group waits for which is to reconverge (Wait::reconvergence).
  virtual Mask awaited_by(const Group&) const { return Mask(); }

  // Events of the current group, whose pc is past the instruction. `lanes` are of that group.
  // Where they do nothing, the policy does not follow the code's convergence barriers.

  // Flow::stop, and nothing has changed: a part that would run, or wait to, goes nowhere.
  virtual Flow branch(const Branch& branch) = 0;
  virtual Flow bssy(unsigned /*index*/, Mask /*lanes*/) { return Flow::next; }
  virtual Bsync bsync(unsigned /*index*/) { return {}; }
  virtual Released leave_barrier(unsigned /*index*/, Mask /*lanes*/) { return {Flow::next, {}}; }
  virtual Flow bmov_clear(unsigned /*index*/) { return Flow::next; }
  virtual Flow bmov_write(unsigned /*index*/, Mask /*lanes*/) { return Flow::next; }
  virtual Warpsynced warpsync(const Warpsync& sync) = 0;
  virtual Flow end_collective() { return Flow::next; }
  virtual Flow yield() { return Flow::next; }
  virtual Released exit(Mask lanes) = 0;
  virtual void wait_at_block_barrier(unsigned number) = 0;
  // An access to global, local, generic or shared memory, by threads; before it is executed.
  void memory_access() {
    if (follows_accesses_ && groups_.size() > 2) follow_access();
  }

  // Events of others.
  virtual void release_block_barrier(unsigned number) = 0;
  // Whether there was one since the warp's turn began.
  bool released_by_block() const { return released_by_block_; }
  void begin_turn() { released_by_block_ = false; }

  // Whether the current group executes its instruction once more, which is not a further execution:
  // an indirect branch, a WARPSYNC or a BSYNC left its lanes there.
  bool replays() const { return (replaying_ & current().lanes).any(); }
  // It does so now. Returns replays().
  bool begin_replay();

  // Instructions before which the current group stops, to settle() who is to run.
  struct Halt {
    std::uint32_t first = kNowhere, count = 0;
    friend bool operator==(const Halt&, const Halt&) = default;
  };
  Halt halt() const { return halt_; }
  bool halts_at(std::uint32_t pc) const { return pc - halt_.first < halt_.count; }
  // From `pc` on, how many it executes before it comes to one.
  std::uint32_t until_halt(std::uint32_t pc) const {
    return halts_at(pc) ? 0 : halt_.first - pc;  // those behind lie further off than any code ends
  }
  virtual void settle() {}

  // Whether the group that runs since the last event was searched for among the lanes. Once.
  bool take_search() { return std::exchange(searched_.happened, false); }
  void note_search() { searched_.happened = true; }  // for a trace, which decides who runs

  // Whether groups reconverged, or did not, where they would have done otherwise in code that no
  // profiler has patched.
  virtual bool patches_show() const { return false; }

 protected:
  Reconvergence() = default;
  Reconvergence(const Reconvergence&) = default;
  Reconvergence& operator=(const Reconvergence&) = default;
  friend bool operator==(const Reconvergence&, const Reconvergence&) = default;

  virtual void begin() = 0;  // of start
  virtual void follow_access() {}
  void wait_for(Wait wait, unsigned index) {
    current().wait = wait;
    current().index = static_cast<std::uint8_t>(index);
  }
  // The current group's lanes have ended. Returns whether some of it goes on.
  bool end_lanes(Mask lanes);

  Mask live_;
  Mask replaying_;
  bool whole_warp_arrives_ = false;  // at a block barrier, with any of its groups
  bool follows_accesses_ = false;
  bool released_by_block_ = false;
  // What time it takes is no part of the state that groups are in.
  struct Search {
    bool happened = false;
    friend bool operator==(const Search&, const Search&) { return true; }
  };
  Halt halt_;
  Search searched_;
  Groups groups_;
};

// Makes the state of one warp.
using MakeReconvergence = std::function<std::unique_ptr<Reconvergence>()>;

// `patched`: groups reconverge as they do in code that a profiler has patched to count its
// instructions (patched_code.hpp); with convergence barriers alone. Keeps a reference to the
// module, which no other policy than the stack needs. For one host thread.
MakeReconvergence reconvergence_by(ReconvergencePolicy policy, const isa::Cubin* cubin,
                                   const isa::Program* program, bool patched);

}  // namespace heddle::simulator
