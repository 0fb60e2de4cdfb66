#include "simulator/execute/cluster.hpp"

#include <algorithm>

namespace heddle::simulator {
namespace {

using isa::Op;

// Beyond the block's own barriers, so that a wait there is told apart from them.
constexpr unsigned kClusterBarrier = 16;

// UCGABAR_ARV: the threads arrive and go on.
Flow execute_arrive(Core&, Warp& warp, const Step&, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  warp.cluster_arrived |= on;
  warp.block->at_cluster_barrier = true;
  check_cluster_barrier(*warp.block);
  return Flow::next;
}

// UCGABAR_WAIT: until all threads that live have arrived as often as these.
Flow execute_wait(Core&, Warp& warp, const Step&, Mask, Mask on) {
  if ((warp.cluster_arrived & on).empty()) return Flow::next;
  warp.convergence->wait_at_block_barrier(kClusterBarrier);
  return Flow::reschedule;
}

}  // namespace

std::uint64_t block_in_cluster(const Dim3& grid, const Dim3& shape, std::uint64_t cluster,
                               std::uint32_t rank) {
  const std::uint64_t wide = grid.x / shape.x, high = grid.y / shape.y;
  const std::uint64_t x = cluster % wide * shape.x + rank % shape.x;
  const std::uint64_t y = cluster / wide % high * shape.y + rank / shape.x % shape.y;
  const std::uint64_t z = cluster / wide / high * shape.z + rank / shape.x / shape.y;
  return x + grid.x * (y + std::uint64_t{grid.y} * z);
}

void join_cluster(const std::vector<Block*>& blocks) {
  const auto cluster = std::make_shared<Cluster>(Cluster{blocks});
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    blocks[rank]->cluster = cluster;
    blocks[rank]->rank = static_cast<std::uint32_t>(rank);
  }
}

void leave_cluster(Block& block) {
  if (block.cluster == nullptr) return;
  const std::shared_ptr<Cluster> cluster = std::move(block.cluster);
  cluster->blocks[block.rank] = nullptr;
  block.rank = 0;
  for (Block* other : cluster->blocks)
    if (other != nullptr) return check_cluster_barrier(*other);
}

void check_cluster_barrier(Block& block) {
  const std::vector<Block*> alone{&block};
  const std::vector<Block*>& blocks = block.cluster == nullptr ? alone : block.cluster->blocks;
  for (const Block* each : blocks) {
    if (each == nullptr) continue;
    for (const Warp& warp : each->warps)
      if (!warp.convergence->live().within(warp.cluster_arrived)) return;
  }
  for (Block* each : blocks) {
    if (each == nullptr) continue;
    each->at_cluster_barrier = false;
    for (Warp& warp : each->warps) {
      warp.cluster_arrived = Mask();
      warp.convergence->release_block_barrier(kClusterBarrier);
    }
  }
}

bool whole_cluster_stuck(const Block& block) {
  if (block.cluster == nullptr) return true;
  return std::ranges::none_of(block.cluster->blocks, [](const Block* other) {
    return other != nullptr && std::ranges::any_of(other->warps, [](const Warp& warp) {
             return warp.convergence->has_current();
           });
  });
}

Execute lower_cluster(const isa::Instruction& in, Step&) {
  if (in.op == Op::UCGABAR_ARV) return execute_arrive;
  if (in.op == Op::UCGABAR_WAIT) return execute_wait;
  return nullptr;
}

}  // namespace heddle::simulator
