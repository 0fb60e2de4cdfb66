// --check races: accesses to one place of which one writes, by threads that nothing orders.
//
// What orders: a thread's own program; lanes that execute together or come together (LaneOrder);
// block barriers, by number and with their counts; the cluster's barrier; mbarriers; a fence
// followed by an atomic operation or a strong store, which a strong load or an atomic operation
// then reads (so locks, flags, and the grid's barrier); and the ends of a launch. What does not
// race: two atomic or strong accesses; writes that leave the value that is there.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/checks/check.hpp"
#include "simulator/checks/knowledge.hpp"
#include "simulator/checks/lane_order.hpp"
#include "simulator/checks/shadow.hpp"

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
    Mask at_warp_sync = 0;
    bool at_cluster_wait = false;
  };
  struct BlockTrack {
    std::uint32_t number = 0;  // in the order of starts
    std::vector<WarpTrack> warps;
    std::map<unsigned, Arrivals> arrivals;  // by barrier
    std::uint64_t barriers_completed = 0;
    Shadow shared;
  };
  using Told = std::shared_ptr<const Knowledge::Told>;
  // One part of one lane's access.
  struct Part {
    const Core& core;
    const Warp& warp;
    BlockTrack& track;
    const Issue& issue;
    const Access& access;
    std::uint64_t address;
  };

  BlockTrack& track_of(const Block& block);
  void look_at_barriers(const Block& block, BlockTrack& track);
  void look_at_warp_sync(const Warp& warp, WarpTrack& track);
  void look_at(const Core& core, const Warp& warp, BlockTrack& track, const Issue& issue,
               const Access& access);
  void synchronize(const Warp& warp, BlockTrack& track, const Access& access);
  void look_at_cell(const Part& part, Cell& cell, const Trace& now, bool reads, bool writes);
  void look_at_lanes_of_one_store(const Core& core, const Warp& warp, const Issue& issue,
                                  const Access& access);
  bool may_meet(Use one, Use other) const;
  bool ordered(const Part& part, const Trace& before, const Trace& now) const;
  void report(const Part& part, const Trace& before, const Trace& now, bool wrote_before,
              bool writes_now);

  Knowledge knowledge_;
  std::unordered_map<std::uint64_t, BlockTrack> blocks_;  // by linear index
  std::vector<std::uint64_t> linear_;                     // of each block, in the order of starts
  Shadow global_;
  // What was told at each address: of global memory, and of shared memory by block.
  std::unordered_map<std::uint64_t, Told> told_at_;
  std::map<const Cluster*, Knowledge::Told> told_in_;
  const Module* scanned_ = nullptr;
  bool for_debugging_ = false;
  std::vector<bool> emulates_;  // by pc: loads of loops that make up an atomic operation
};

}  // namespace heddle::simulator::checks
