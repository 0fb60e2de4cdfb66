#include "simulator/timing/resident_blocks.hpp"

#include <algorithm>
#include <utility>

namespace heddle::simulator::timing {

ResidentBlocks::ResidentBlocks(const Constants& constants, Sm& sm, std::uint32_t index)
    : constants_(constants),
      sm_(sm),
      index_(index),
      cluster_port_(constants.interval_cluster_target) {}

std::uint32_t ResidentBlocks::add(std::unique_ptr<Block> block,
                                  std::shared_ptr<ResidentCluster> cluster) {
  std::uint32_t place = 0;
  while (place < blocks_.size() && blocks_[place].block != nullptr) ++place;
  if (place == blocks_.size()) blocks_.emplace_back();
  block->sm = index_;
  ++count_;
  blocks_[place] = {.block = std::move(block), .cluster = std::move(cluster)};
  return place;
}

void ResidentBlocks::start_warp(std::uint32_t place, Cycle begin) {
  ++blocks_[place].warps_left;
  begins_.push(begin);
}

void ResidentBlocks::end_warp(std::uint32_t place, Cycle began, Cycle now) {
  warp_cycles_ += now - began;
  if (running_warps_ == 0) active_since_ = begins_.top();
  for (; !begins_.empty() && begins_.top() <= now; begins_.pop()) ++running_warps_;
  if (--running_warps_ == 0) active_ += now - active_since_ + constants_.sm_start_cycles;
  Resident& resident = blocks_[place];
  if (--resident.warps_left != 0) return;
  ended_.push_back({std::move(resident.block), now, index_, std::move(resident.cluster)});
  --count_;
}

ResidentCluster& ResidentBlocks::cluster_or_own(std::uint32_t place) {
  Resident& resident = blocks_[place];
  if (resident.cluster == nullptr) {
    resident.cluster = std::make_shared<ResidentCluster>();
    resident.cluster->blocks = {resident.block.get()};
    resident.cluster->sms = {&sm_};
    resident.cluster->ports = {&cluster_port_};
  }
  return *resident.cluster;
}

void ResidentBlocks::open_cluster_barrier(const ResidentCluster& cluster, Cycle opened) {
  for (Resident& resident : blocks_)
    if (resident.cluster.get() == &cluster)
      resident.cluster_leaves = opened + constants_.latency_cluster_barrier;
}

Cycle ResidentBlocks::leave_cluster_barrier(std::uint32_t place) {
  const Cycle leaves = blocks_[place].cluster_leaves;
  blocks_[place].cluster_leaves += constants_.cluster_release_interval;
  return leaves;
}

const Block* ResidentBlocks::any() const {
  for (const Resident& each : blocks_)
    if (each.block != nullptr) return each.block.get();
  return nullptr;
}

void ResidentBlocks::add_to(Result& result) const {
  result.active_sum += active_;
  result.active_max = std::max(result.active_max, active_);
  result.warp_cycles += warp_cycles_;
}

}  // namespace heddle::simulator::timing
