// Blocks that run together and reach each other's shared memory (sm_90).
#pragma once

#include <memory>
#include <vector>

#include "simulator/execute/machine.hpp"
#include "simulator/launch/launch_shape.hpp"

namespace heddle::simulator {

// The blocks of one cluster, by rank: x first, then y, then z. A block that has ended is null.
struct Cluster {
  std::vector<Block*> blocks;
};

// Makes the blocks, started in the order of their ranks, one cluster.
void join_cluster(const std::vector<Block*>& blocks);
// The block ends: the others no longer reach it, nor wait for it.
void leave_cluster(Block& block);

// The linear index of the block with this rank in cluster number `cluster` of the grid.
std::uint64_t block_in_cluster(const Dim3& grid, const Dim3& shape, std::uint64_t cluster,
                               std::uint32_t rank);

// Releases the warps at the barrier of the block's cluster (or at its own, where it has none) when
// every living thread has arrived.
void check_cluster_barrier(Block& block);

// Whether every block of the cluster waits for something, this one included.
bool whole_cluster_stuck(const Block& block);

}  // namespace heddle::simulator
