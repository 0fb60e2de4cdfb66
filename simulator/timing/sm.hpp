// One SM: sub-cores that issue, what they share, and the blocks on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/launch/builtins.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/clusters.hpp"
#include "simulator/timing/front_end.hpp"
#include "simulator/timing/load_store.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/resident_warp.hpp"
#include "simulator/timing/row_prefetch.hpp"
#include "simulator/timing/scheduler.hpp"
#include "simulator/timing/source.hpp"
#include "simulator/timing/unit_waits.hpp"

namespace heddle::simulator::timing {

// What all SMs of a launch share that one host thread runs.
struct SmContext {
  const Constants& constants;
  const TimedProgram& program;
  const RowsAhead& rows_ahead;
  Core& core;
  InstructionSource& source;
  std::uint64_t& clock;  // what the core reads as time
  std::uint64_t clock_start = 0;
  Pick pick;
  bool picks_by_wait;  // the policy asks who waits for memory
  std::vector<StallCycles>& stalls_at;
  Calendar printing;  // the chip's places for lanes that print
  Server heap{};      // of device malloc: one for the chip
  bool allocated = false;
};

struct EndedBlock {
  std::unique_ptr<Block> block;
  Cycle time = 0;
  std::uint32_t sm = 0;
  std::shared_ptr<ResidentCluster> cluster;  // null: the launch has none
};

class Sm {
 public:
  Sm(SmContext& context, std::uint32_t index, std::uint64_t l1_bytes, GpcCache& gpc);

  std::uint32_t index() const { return index_; }
  // What the host thread works with that calls `run` next. `beside`: threads that run other SMs at
  // the same time; null: none does.
  void use(SmContext& context, const SmThreads* beside) {
    context_ = &context;
    front_end_.run_beside(beside);
  }
  // Its warps begin to issue at `begin`. `cluster`: that it is of, if the launch has any.
  void start_block(std::unique_ptr<Block> block, Cycle begin,
                   std::shared_ptr<ResidentCluster> cluster = nullptr);
  // Through which other SMs access the shared memory here.
  Calendar& cluster_port() { return cluster_port_; }
  // The cluster's barrier lets go who waits there, from that time on.
  void open_cluster_barrier(const ResidentCluster& cluster, Cycle opened);
  std::size_t blocks() const { return resident_blocks_; }
  // When something may happen; kNever: not by itself.
  Cycle next_event() const;
  // Has the host fetch what `run` will need, in stages, each of which needs what the one before
  // fetched.
  enum class Near : std::uint8_t { sm, sub_cores, slots, warps, registers, count_ };
  void bring_near(Near stage, Cycle until) const;
  // Issues all that issues before `end`. False: the launch stops.
  bool run(Cycle end);
  std::vector<Request>& requests() { return memory_.requests(); }
  // The requests have been answered; no answer is due before `now`. They are to be taken before
  // `run`.
  void answer(Cycle now);
  void take_answers();
  std::vector<EndedBlock>& ended() { return ended_; }
  const Block* any_block() const;
  void add_to(Result& result);

 private:
  static constexpr Cycle kUnknown = kNever;
  static constexpr Cycle kReadCycles = 3;  // in which an instruction reads its registers
  struct SubCore {
    std::vector<ResidentWarp, BigPageAllocator<ResidentWarp>> slots{kSlots};
    std::array<std::uint64_t, kSlots> started{};
    std::array<Cycle, kSlots> look_again{};  // nothing changes before, for the warp in the slot
    SlotMask resident = 0, ready = 0;
    SlotMask at_unit = 0;  // warps that have all but their unit: nothing else is asked again
    UnitWaits waits;       // of them, those that one unit alone keeps
    std::uint32_t last = 0;
    SchedulerState scheduler;
    Cycle issues_from = 0;
    std::array<Cycle, kPipes> pipe_free{};
    std::array<Cycle, 4> bank_free{};
    Cycle banks_free = 0;  // all of them
    Cycle special_free = 0;
    std::vector<Cycle> special_leaves;  // of the last instructions to the special function unit
    std::size_t special_next = 0;       // the one that went longest ago
    // The warp that has branched last, and until it goes on.
    unsigned redirected = 0;
    Cycle redirected_until = 0;
    // Warps of which it is known when to look at them: before `soon_end`, or not; and when at the
    // first of either, at the earliest.
    SlotMask soon = 0, later = 0;
    Cycle soon_end = 0;
    Cycle next_soon = kNever, next_later = kNever;
    Cycle next_visit = kNever;

    // The warp is looked at again at that time, not before.
    void sleep(unsigned slot, Cycle until) {
      look_again[slot] = until;
      const SlotMask bit = SlotMask{1} << slot;
      soon &= ~bit;
      later &= ~bit;
      if (until < soon_end) {
        soon |= bit;
        next_soon = std::min(next_soon, until);
      } else if (until != kNever) {
        later |= bit;
        next_later = std::min(next_later, until);
      }
    }
    Cycle next_look() const { return std::min(next_soon, next_later); }
    void part_soon_from_later(Cycle now);
    // Something may have changed for the warp.
    void look_at(unsigned slot, Cycle now) {
      if ((waits.all() >> slot & 1) != 0) return;
      sleep(slot, std::min(look_again[slot], now));
      next_visit = std::min(next_visit, now);
    }
  };
  struct ResidentBlock {
    std::unique_ptr<Block> block;
    std::uint32_t warps_left = 0;
    std::shared_ptr<ResidentCluster> cluster = nullptr;
    Cycle cluster_leaves = 0;  // when the next warp can leave the barrier that opened last
  };
  // What keeps a warp from issuing, until when at least. Ready: not_selected.
  struct Look {
    Stall reason;
    Cycle until;
  };

  bool waits_beyond(const ResidentWarp& warp, Cycle until) const;
  bool is_here(const Outstanding& who) const;
  void bring_accessed_near(const Warp& warp, std::uint32_t pc) const;
  void advance_memory(Cycle now);
  bool visit(unsigned sub_core, Cycle now);
  void look_at_warps(unsigned sub_core, Cycle now);
  void look_at_warp(unsigned sub_core, unsigned slot, Cycle now);
  SlotMask ask_units(unsigned sub_core, Cycle now, Cycle& until);
  Cycle unit_free(unsigned sub_core, unsigned gate, Cycle now) const;
  void wait_for_unit(SubCore& sub, unsigned slot, const Timed& timed, Cycle now);
  void leave_unit(SubCore& sub, unsigned slot, Cycle now);
  void tell_unit_waits(SubCore& sub, Cycle now);
  static SlotMask waiting_long(const SubCore& sub);
  Look look(unsigned sub_core, ResidentWarp& warp, Cycle now);
  void ask_for_code(unsigned sub_core, ResidentWarp& warp, Cycle now);
  std::uint32_t operand_line(const ResidentWarp& warp, const Timed& timed) const;
  std::uint32_t indexed_line(const Timed& timed, std::uint32_t index) const;
  void find_indexed(const ResidentWarp& warp, const Timed& timed);
  void find_texture(const ResidentWarp& warp, const Timed& timed);
  static std::uint64_t first_argument(const ResidentWarp& warp);
  std::optional<Builtin> called_builtin(const ResidentWarp& warp, const Timed& timed) const;
  Look look_at_end(const ResidentWarp& warp, Cycle now) const;
  Look look_at_results(const ResidentWarp& warp, const Timed& timed, Cycle now) const;
  Look look_at_units(unsigned sub_core, const Timed& timed, Cycle now) const;
  static Look look_at_banks(const SubCore& sub, const Timed& timed, Cycle now);
  bool issue(unsigned sub_core, unsigned slot, Cycle now);
  static Cycle pipe_free(const SubCore& sub, Pipe pipe);
  void occupy_units(SubCore& sub, const Timed& timed, Cycle now);
  void follow(unsigned sub_core, unsigned slot, const Timed& timed, const Issue& issued, Cycle now);
  Outstanding waiting_for(unsigned sub_core, unsigned slot, const Timed& timed) const;
  void expect(ResidentWarp& warp, const Timed& timed);
  void follow_memory(unsigned sub_core, unsigned slot, const Timed& timed, const Issue& issued,
                     Cycle now);
  void follow_texture(unsigned sub_core, unsigned slot, const Timed& timed, const Issue& issued,
                      Cycle now);
  // What an instruction takes that ends a stretch of code, and the part of it in which the next one
  // is on its way.
  struct FlowTime {
    Cycle latency = 0, fetch = 0;
  };
  FlowTime flow_time(const ResidentWarp& warp, const Timed& timed, const Issue& issued) const;
  void follow_flow(SubCore& sub, unsigned slot, const Timed& timed, const Issue& issued, Cycle now);
  Cycle driver_cycles(Builtin called, std::uint64_t argument, const ResidentWarp& warp,
                      const Issue& issued, Cycle now) const;
  Cycle print_cycles(const ResidentWarp& warp, const Issue& issued, Cycle now) const;
  Cycle malloc_lane(std::uint64_t bytes) const;
  Cycle allocation_cycles(Cycle lanes, std::uint64_t bytes, Cycle now) const;
  Cycle sleep_cycles(const ResidentWarp& warp, const Issue& issued) const;
  void hold(SubCore& sub, unsigned slot, Cycle now);
  void settle(unsigned sub_core, unsigned slot, const Timed& timed, Cycle now);
  std::uint32_t blocked_at(std::uint32_t pc) const;
  void wake_released(std::uint32_t block, Cycle now);
  ResidentCluster& cluster_of(ResidentBlock& block);
  void follow_cluster(ResidentWarp& warp, const Timed& timed, const Issue& issued, Cycle now);
  Cycle leave_cluster_barrier(ResidentBlock& block);
  void retire(unsigned sub_core, unsigned slot, Cycle now);
  void account(ResidentWarp& warp, Cycle until);
  void tell_wait(const ResidentWarp& warp, Cycle until);
  // `done` may be kUnknown.
  void guard(ResidentWarp& warp, std::uint8_t scoreboard, Stall awaited, Cycle done);
  static void settle_result(ResidentWarp& warp, std::uint8_t scoreboard, std::uint64_t number,
                            Cycle done);
  static void settle_rest(ResidentWarp& warp, const Outstanding& who, Cycle done);

  SmContext* context_;  // of the host thread that runs it
  const Constants& constants_;
  const std::uint32_t index_;
  const bool observed_;
  std::vector<SubCore, BigPageAllocator<SubCore>> sub_cores_;
  LoadStoreUnit memory_;
  FrontEnd front_end_;
  std::vector<ResidentBlock> blocks_;
  // Of the instruction that issues: lines and number of addresses that an LDC names by a register.
  std::vector<std::uint32_t> indexed_lines_;
  std::uint32_t indexed_places_ = 1;
  TextureHeader texture_;  // that it reads
  Calendar cluster_port_;
  std::vector<EndedBlock> ended_;
  std::size_t resident_blocks_ = 0;
  Cycle answered_ = kNever;  // when; kNever: all answers have been taken
  std::uint64_t warps_started_ = 0, resident_warps_ = 0;
  Cycle active_since_ = 0;
  std::uint64_t active_ = 0, warp_cycles_ = 0, issued_ = 0;
};

}  // namespace heddle::simulator::timing
