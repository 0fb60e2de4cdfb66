// --check races: accesses to one place of which one writes, by threads that nothing orders.
//
// What orders: a thread's own program; lanes that execute together or reconverge (LaneOrder);
// block barriers, by number and with their counts; the cluster's barrier; mbarriers; a fence
// followed by an atomic operation or a strong store, which a strong load or an atomic operation
// then reads (so locks, flags, and the grid's barrier); and the ends of a launch. What does not
// race: two atomic or strong accesses; writes that leave the value that is there. Fences, atomic
// operations and strong accesses of block scope do this among the threads of one block only.
//
// What an asynchronous copy does is done when its thread has waited for its group, or when a phase
// of the mbarrier that counts it ends, for every thread that waits there (race_copies.cpp). What a
// product of a warp group reads is read when one of its warps has waited (race_products.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/checks/async_copies.hpp"
#include "simulator/checks/check.hpp"
#include "simulator/checks/knowledge.hpp"
#include "simulator/checks/lane_order.hpp"
#include "simulator/checks/shadow.hpp"
#include "simulator/checks/shared_phases.hpp"
#include "simulator/checks/start_order.hpp"

namespace heddle::simulator {
struct Cluster;
}

namespace heddle::simulator::checks {

class RaceCheck : public Check {
 public:
  using Check::Check;
  void begin(const LaunchRequest& request) override;
  void block_started(const Core& core, const Block& block) override;
  void issuing(const Core& core, const Warp& warp, const Issue& next) override;
  void issued(const Core& core, const Warp& warp, const Issue& issue) override;
  bool looks_before(const Step& step) const override;
  bool looks_behind(const Step& step) const override;
  void block_ended(const Core& core, const Block& block) override;

 private:
  struct Arrivals {
    std::array<Mask, kWarpSize> waiting{};  // lanes, by warp
    std::uint32_t waiting_warps = 0, arrived_warps = 0;
  };
  struct WarpTrack {
    LaneOrder lanes;
    // Up to which clock of the warp each lane knows what all its lanes did, by what it was told.
    std::array<std::uint32_t, kWarpSize> told{};
    Mask at_warp_sync{};
    bool at_cluster_wait = false;
    PendingCopies copies;
    Reader reader;  // of global memory
  };
  using Told = std::shared_ptr<const Knowledge::Told>;
  // What was told at one address: to all who read there, and more to some blocks (by number).
  struct Release {
    Told to_all;
    std::map<std::uint32_t, Told> to_block;
  };
  // A barrier in shared memory that counts arrivals and bytes. Who waits for its phase learns what
  // was told by those who arrived before that ended.
  struct MBarrier {
    Told arrived, complete;
    bool phase = false;
    unsigned arrivals = 0;  // by the instruction that executes
    std::map<std::pair<std::uint64_t, std::uint32_t>, WarpId> agents;  // by issuer: block and warp
  };
  // Of what a copy or a product did without its thread.
  struct Agent {
    std::uint64_t barrier = 0;  // shared address; of copies
    Actor issuer;
    bool is_product = false;
  };
  // Products of a warp group: how many groups of them each warp has ended, and what those know who
  // have waited for the last ones.
  struct Products {
    static constexpr std::size_t kKept = 16;  // more than a wait can leave
    WarpId agent;
    std::array<std::uint64_t, 4> ended{};
    std::array<Told, kKept> told{};
  };
  // Of a block, until it ends.
  struct BlockTrack {
    std::uint32_t number = 0;  // in the order of starts
    std::vector<WarpTrack> warps;
    std::map<unsigned, Arrivals> arrivals;  // by barrier
    std::uint64_t barriers_completed = 0;
    std::unique_ptr<Shadow> shared;  // for shared_of alone
    SharedPhases phases;
    // In its shared memory: what was told at each address, and barriers.
    std::unordered_map<std::uint64_t, Release> told_at;
    std::unordered_map<std::uint64_t, MBarrier> mbarriers;
    std::map<std::uint32_t, Agent> agents;       // by number
    std::map<std::uint32_t, Products> products;  // by group of warps
  };
  // A read of shared memory that nobody can be racing with yet.
  struct AsideRead {
    Trace trace;
    Mask lanes;
    std::uint32_t width = 0;
    bool adjoining = false;
    // By lane: the address in words; where they adjoin, of the first one alone.
    std::array<std::uint16_t, kWarpSize> word{};
  };
  static constexpr std::size_t kMostAside = 4096;
  // Asynchronous copies: an instruction's stores, or all that it does, are pending until they have
  // been waited for; or an mbarrier counts them.
  // Products of warp groups read shared memory in the same way.
  enum class Copies : std::uint8_t { none, element, bulk, counted, product };
  // What an instruction's modifiers say, read once for all its executions.
  struct Watched {
    Use use = Use::plain;      // of its loads and stores
    Scope scope = Scope::all;  // of what is strong or atomic, or of a fence
    Copies copies = Copies::none;
    bool of_barrier = false;                // works on a barrier in shared memory
    std::uint8_t scoreboards = 0;           // DEPBAR: those that must be zero
    bool waits_for_groups = false;          // DEPBAR.LE: until only `left` of
    std::uint8_t scoreboard = 0, left = 0;  // those that the scoreboard counts are incomplete
  };
  static Watched watched(const isa::Instruction& in);
  // One access of a warp, whose parts are looked at one by one.
  struct Scene {
    const Core& core;
    const Warp& warp;
    BlockTrack& track;
    const Issue& issue;
    const Access& access;
    WarpId id;
    bool reads, writes;
  };
  // A place in the shared memory of a cluster: the block, by its number, and the offset.
  struct Place {
    BlockTrack* track = nullptr;  // null: it has ended
    std::uint64_t address = 0;
  };

  BlockTrack& track_of(const Block& block);
  // What has been released, or told, since the warp was last looked at.
  void catch_up(const Warp& warp, BlockTrack& track, Mask active);
  void look_at_barriers(const Block& block, BlockTrack& track);
  void look_at_warp_sync(const Warp& warp, WarpTrack& track);
  void look_at_accesses(const Core& core, const Warp& warp, BlockTrack& track, const Issue& issue);
  // `agent`: of a copy that an mbarrier counts, or of a product; else null.
  void look_at(const Core& core, const Warp& warp, BlockTrack& track, const Issue& issue,
               const Access& access, const WarpId* agent = nullptr);
  Place shared_place(const Block& block, std::uint64_t address);
  void learn(WarpId id, BlockTrack& track, unsigned lane, const Told& told);
  static void add(Told& told, const Told& more);

  Shadow& shared_of(BlockTrack& track) {
    if (aside_of_ == &track) note_put_aside();
    return *track.shared;
  }

  // race_phases.cpp
  bool put_aside(const Scene& scene, const Trace& now, const WarpId* agent);
  void note_put_aside();
  void note_put_aside(const AsideRead& read, Shadow& shadow);
  static bool note_lines(const AsideRead& read, TraceRef ref, Shadow& shadow);
  static Mask note_parts(const AsideRead& read, const Addresses& address, TraceRef ref,
                         Shadow& shadow);
  void drop_put_aside() {
    aside_.clear();
    aside_of_ = nullptr;
  }

  // race_copies.cpp
  static unsigned group_scoreboard(const isa::Instruction& in);
  static Copies copies_of(const isa::Instruction& in);
  static bool is_pending(Copies copies, const Access& access);
  static void begin_copies(Copies kind, const Issue& issue, const Access& access,
                           PendingCopies& copies);
  void wait_for_copies(const Warp& warp, WarpTrack& of_warp, const Issue& next);
  void complete(const Warp& warp, WarpTrack& of_warp, const AsyncCopy& copy);
  template <typename F>
  void settle(const Warp& warp, const AsyncCopy& copy, const F& f);
  void hand_over_copies(const Warp& warp, BlockTrack& track, const Issue& issue,
                        const Access& access);
  void look_at_counted_copies(const Core& core, const Warp& warp, BlockTrack& track,
                              const Issue& issue);
  void look_at_mbarrier(const Core& core, const Warp& warp, BlockTrack& track, const Issue& issue,
                        const Access& access);
  // Null: it is none, or its block has ended.
  const Agent* agent_at(WarpId who) const;
  WarpId agent_of(const Warp& warp, const Place& barrier, Mask lanes, Pc pc);

  // race_products.cpp
  void look_at_product(const Core& core, const Warp& warp, BlockTrack& track, const Issue& issue);
  void wait_for_products(const Warp& warp, BlockTrack& track, const Issue& next,
                         const isa::Instruction& in);
  bool report_product(const Scene& scene, std::uint64_t address, const Trace& before,
                      const Trace& now);
  void arrive_at(const Block& block, std::uint64_t address, const Knowledge::Told& told,
                 unsigned arrivals);
  void end_phases(const Core& core, Block& block);

  void synchronize(const Warp& warp, BlockTrack& track, const Access& access);
  // `value`: what is written there.
  void look_at_cell(const Scene& scene, Cell& cell, std::uint64_t address, const Trace& now,
                    std::uint32_t value);
  void look_at_part(const Scene& scene, Shadow& shadow, const Shadow::Place& place,
                    std::uint64_t address, const Trace& now, TraceRef ref, std::uint32_t value,
                    const Reader& reader);
  void look_at_cells(const Scene& scene, Mask lanes, Trace now, const WarpId* agent);
  Mask look_at_parts(const Scene& scene, Shadow& shadow, Trace now, TraceRef ref);
  void look_at_places(const Scene& scene, Shadow& shadow, Shadow::Place place, const Trace& now,
                      TraceRef ref, const Reader& reader);
  bool look_at_lines(const Scene& scene, Shadow& shadow, TraceRef ref);
  void look_at_line(const Scene& scene, Shadow& shadow, Shadow::Line& line, std::uint64_t address,
                    TraceRef now, const std::byte* data);
  // That there is nothing to report of the line. False: perhaps there is.
  bool is_in_order(const Scene& scene, const LineTrace& before, const LineTrace& now) const;
  static void note_read(Trace& read, Trace& other_read, const Trace& now) {
    if (read.pending && !now.pending) {
      other_read = now;
      return;
    }
    if (read.clock != 0 && read.who != now.who) other_read = read;
    read = now;
  }
  void look_at_lanes_of_one_store(const Core& core, const Warp& warp, const Issue& issue,
                                  const Access& access);
  bool may_meet(const Trace& one, const Trace& other) const;
  bool ordered(const Scene& scene, const Trace& before, const Trace& now) const;
  bool conflicts(const Scene& scene, const Trace& before, const Trace& now) const {
    return before.clock != 0 && !may_meet(before, now) && !ordered(scene, before, now);
  }
  Reader reader_of(const Scene& scene) const;
  void report(const Scene& scene, std::uint64_t address, const Trace& before, const Trace& now,
              bool wrote_before);
  bool report_copy(const Scene& scene, std::uint64_t address, const Trace& before, const Trace& now,
                   bool wrote_before);
  std::string missing_wait(const Scene& scene, const Trace& before) const;

  const std::byte* bytes_at(const Core& core, const Warp& warp, const Access& access,
                            std::uint64_t address, std::uint64_t bytes);

  Knowledge knowledge_;
  std::unordered_map<std::uint64_t, BlockTrack> blocks_;  // by linear index
  BlockTrack* last_track_ = nullptr;                      // that track_of found, and whose
  std::uint64_t last_linear_ = 0;
  struct {
    std::uint64_t address = 0, bytes = 0;
    const std::byte* data = nullptr;
  } seen_;  // allocation that a write lay in
  struct Known {
    WarpId who;
    std::uint32_t clock = 0;
  };
  mutable Known known_;  // what the warp that executes is found to know of another
  StartOrder linear_;
  Shadow global_;
  std::vector<std::unique_ptr<Shadow>> spare_;  // of shared memory of blocks that have ended
  std::vector<AsideRead> aside_;                // of one block, since its last barrier
  BlockTrack* aside_of_ = nullptr;
  std::unordered_map<std::uint64_t, Release> told_at_;  // addresses of global memory
  // What was told at a cluster's barrier, and how many of its blocks have not ended.
  struct OfCluster {
    Knowledge::Told told;
    std::uint32_t blocks = 0;
  };
  std::map<const Cluster*, OfCluster> clusters_;
  std::vector<std::uint64_t> arrived_at_;  // addresses: by the instruction that executes
  HeapCall call_;                          // that executes now
  bool for_debugging_ = false;
  std::string code_;              // that the following are of: its hash
  std::vector<Watched> watched_;  // by pc
  std::vector<bool> emulates_;    // by pc: loads of loops that make up an atomic operation
};

}  // namespace heddle::simulator::checks
