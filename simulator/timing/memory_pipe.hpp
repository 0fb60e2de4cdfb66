// How memory instructions come from the sub-cores to the unit they share. Each sub-core has a
// queue, an address unit that takes from it one by one, of all of them one in a cycle, and a few
// places behind that; loads may stand in more places, which all sub-cores share. The shared unit
// takes, of the instructions that could begin, the one that left its address unit first. S2R waits
// there for a unit of its own, which is slower.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

// What an instruction asks of the units, in cycles.
struct PipeWork {
  Cycle ready = 0;         // at the address unit, with nothing before it
  Cycle address_busy = 0;  // the address unit, for this instruction
  Cycle shared_busy = 0;   // the shared unit
  Cycle own_busy = 0;      // until the shared unit may take the sub-core's next one
  // Instructions of the sub-core that may be behind its address unit, with this one; and beyond
  // these, of all sub-cores.
  std::uint32_t places = 0, common_places = 0;
  std::uint32_t token = 0;  // the caller's
  Cycle special_busy = 0;   // the unit behind that, which brings special registers; 0: it does not
  bool is_global = false;   // or local memory's
};

class MemoryPipe {
 public:
  explicit MemoryPipe(const Constants& constants);

  // Whether the sub-core's queue has room; otherwise `until` is when it will, if that is known.
  bool has_room(unsigned sub_core, Cycle now, Cycle& until) const {
    until = times_[sub_core].room;
    return until <= now;
  }
  // Whether all that fills the sub-core's queue is of global and local memory.
  bool holds_only_global(unsigned sub_core) const { return sub_cores_[sub_core].others == 0; }
  // Takes an instruction. When the shared unit begins with it, if nothing is in the way; otherwise
  // `advance` will say.
  std::optional<Cycle> enter(unsigned sub_core, const PipeWork& work);

  struct Taken {
    std::uint32_t token = 0;
    Cycle begin = 0;
  };
  // When `advance` next has something to do.
  Cycle next_event() const { return next_event_; }
  // What the shared unit has begun with up to `now`, in order.
  std::span<const Taken> advance(Cycle now);
  // What the last call of `advance` has passed to the address units, and when.
  std::span<const Taken> addressed() const { return addressed_; }
  // Bit i: the call of `advance` before has made room in the queue of sub-core i.
  std::uint64_t made_room() const { return made_room_; }
  void prefetch() const;
  // The shared unit takes nothing before `time`.
  void hold_until(Cycle time);
  // What it has begun with last, of that sub-core, needs it no longer than that.
  void leave_at(unsigned sub_core, Cycle time);

 private:
  struct Waiting {
    PipeWork work;
    Cycle addressed = 0;    // when it left the address unit
    std::size_t place = 0;  // in `leaves`
  };
  // What is asked again and again of a sub-core, side by side: when its queue has room, and when
  // its first instruction could go to the address unit and the first behind that to the shared
  // unit, as far as the sub-core's own are concerned; kNever: there is none.
  struct Times {
    Cycle room = 0, address = kNever, begin = kNever;
    Cycle addressed =
        kNever;  // when the one that could go to the shared unit left its address unit
    std::uint32_t common_places = 0;  // of the one that could go to the address unit
  };
  // Instructions of a sub-core in order, in a ring that grows when it is full.
  class Waitings {
   public:
    std::size_t size() const { return count_; }
    Waiting& operator[](std::size_t i) { return ring_[(first_ + i) & (places_ - 1)]; }
    const Waiting& operator[](std::size_t i) const { return ring_[(first_ + i) & (places_ - 1)]; }
    void push(const Waiting& waiting) {
      if (count_ == places_) grow();
      (*this)[count_++] = waiting;
    }
    void pop() {
      ++first_;
      --count_;
    }
    const Waiting* place() const { return ring_.data(); }

   private:
    void grow();
    std::vector<Waiting> ring_;
    std::size_t places_ = 0;  // of it; a power of two
    std::size_t first_ = 0, count_ = 0;
  };
  struct SubCore {
    std::vector<Cycle> leaves;           // when the last instructions leave the queue, a ring
    std::vector<std::uint8_t> is_other;  // than of global or local memory, likewise
    std::size_t next = 0;
    std::size_t others = 0;
    Waitings waiting;
    std::size_t behind = 0;  // the first of them, which are behind the address unit
    Cycle address_free = 0, own_free = 0;
  };

  bool has_place(const SubCore& sub, const PipeWork& work) const;
  std::size_t in_common(const SubCore& sub) const {
    return sub.behind - std::min<std::size_t>(sub.behind, constants_.lsu_own_entries);
  }
  void look_at_address(unsigned sub_core);
  void look_at_begin(unsigned sub_core);
  unsigned first_addressed(Cycle time) const;
  void count_common(std::size_t common);
  void find_next_event();
  void address(unsigned sub_core, Cycle time);
  void begin(unsigned sub_core, Cycle time);

  const Constants& constants_;
  std::vector<Times> times_;  // by sub-core
  std::vector<SubCore> sub_cores_;
  std::vector<Taken> taken_, addressed_;
  std::uint64_t made_room_ = 0;  // bit i: for sub-core i
  std::size_t waiting_ = 0;      // instructions, of all sub-cores
  std::size_t common_ = 0;       // of these, the ones in places that all share
  unsigned last_addressed_ = 0;  // the sub-core that one was taken from last
  Cycle port_free_ = 0;          // when one of the address units may take an instruction
  Cycle shared_free_ = 0, held_until_ = 0;
  Cycle special_free_ = 0;
  Cycle next_event_ = kNever;
};

}  // namespace heddle::simulator::timing
