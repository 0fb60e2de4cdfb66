// The blocks on an SM, their clusters, and how long the SM has had warps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "simulator/execute/machine.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/clusters.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

struct EndedBlock {
  std::unique_ptr<Block> block;
  Cycle time = 0;
  std::uint32_t sm = 0;
  std::shared_ptr<ResidentCluster> cluster;  // null: the launch has none
};

class ResidentBlocks {
 public:
  ResidentBlocks(const Constants& constants, Sm& sm, std::uint32_t index);

  // Where it stands, a place for `block`, `cluster` and the others.
  std::uint32_t add(std::unique_ptr<Block> block, std::shared_ptr<ResidentCluster> cluster);
  // A warp of it begins, or has ended and its stores are done.
  void start_warp(std::uint32_t place, Cycle begin);
  void end_warp(std::uint32_t place, Cycle began, Cycle now);

  Block& block(std::uint32_t place) { return *blocks_[place].block; }
  // Null: the launch has none, and none of the block's threads has arrived at a barrier of one.
  ResidentCluster* cluster(std::uint32_t place) { return blocks_[place].cluster.get(); }
  // A block by itself is a cluster too.
  ResidentCluster& cluster_or_own(std::uint32_t place);
  // The cluster's barrier releases its warps, from that time on.
  void open_cluster_barrier(const ResidentCluster& cluster, Cycle opened);
  // Whether the barrier that opened last still releases warps after `now`; and when the next can
  // leave it.
  bool leaves_cluster_barrier(std::uint32_t place, Cycle now) const {
    return blocks_[place].cluster_leaves > now;
  }
  Cycle leave_cluster_barrier(std::uint32_t place);

  std::size_t count() const { return count_; }
  std::vector<EndedBlock>& ended() { return ended_; }
  const Block* any() const;
  // Through which other SMs access the shared memory here.
  Calendar& cluster_port() { return cluster_port_; }
  void add_to(Result& result) const;

 private:
  struct Resident {
    std::unique_ptr<Block> block;
    std::uint32_t warps_left = 0;
    std::shared_ptr<ResidentCluster> cluster = nullptr;
    Cycle cluster_leaves = 0;  // when the next warp can leave the barrier that opened last
  };

  const Constants& constants_;
  Sm& sm_;
  const std::uint32_t index_;
  std::vector<Resident> blocks_;
  Calendar cluster_port_;
  std::vector<EndedBlock> ended_;
  std::size_t count_ = 0;
  // When warps begin that were not running when one ended last: a block that takes another's place
  // is here before it begins.
  std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> begins_;
  std::uint64_t running_warps_ = 0, warp_cycles_ = 0;
  Cycle active_since_ = 0, active_ = 0;
};

}  // namespace heddle::simulator::timing
