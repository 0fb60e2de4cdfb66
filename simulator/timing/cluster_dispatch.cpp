// How clusters come to SMs: all blocks of one at once, to one GPC, each to an SM of its own as far
// as there are any (measured: "places of clusters" of gpu/kernels/micro/timing/clusters.cu).
#include <fmt/format.h>

#include <algorithm>

#include "simulator/execute/cluster.hpp"
#include "simulator/timing/timed_launch.hpp"

namespace heddle::simulator::timing {

// Of the GPCs that have places for a cluster the one whose SMs have the fewest blocks.
std::optional<std::uint32_t> TimedLaunch::gpc_for_cluster() const {
  struct Gpc {
    std::uint64_t sms = 0, blocks = 0;
  };
  std::vector<Gpc> gpcs(constants_.gpcs);
  for (const Sm& sm : sms_) {
    Gpc& gpc = gpcs[sm_places_[sm.index()].gpc];
    ++gpc.sms;
    gpc.blocks += sm.blocks();
  }
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < gpcs.size(); ++i) {
    const Gpc& gpc = gpcs[i];
    if (gpc.sms * blocks_per_sm_ < gpc.blocks + cluster_.count()) continue;
    if (!best || gpc.blocks * gpcs[*best].sms < gpcs[*best].blocks * gpc.sms) best = i;
  }
  return best;
}

// The SMs of one GPC that are to get a block each, some more than one where it has too few; none
// where no GPC has places for all.
std::vector<std::uint32_t> TimedLaunch::places_for_cluster() const {
  std::vector<std::uint64_t> blocks(sms_.size());
  for (const Sm& sm : sms_) blocks[sm.index()] = sm.blocks();
  std::vector<std::uint32_t> places;
  constexpr std::uint32_t kNone = ~0u;
  const std::optional<std::uint32_t> gpc = gpc_for_cluster();
  if (!gpc) return places;
  while (places.size() < cluster_.count()) {
    std::uint32_t best = kNone;
    for (std::uint32_t sm = 0; sm < sms_.size(); ++sm)
      if (sm_places_[sm].gpc == *gpc && (best == kNone || blocks[sm] < blocks[best])) best = sm;
    ++blocks[best];
    places.push_back(best);
  }
  std::ranges::sort(places);
  return places;
}

std::string why_not_timed(const LaunchContext& context, const Options& options,
                          std::uint32_t blocks_per_sm) {
  const std::uint64_t size = cluster_shape(*context.request).count();
  const std::uint32_t sms = options.sms != 0 ? options.sms : context.model->sms;
  const Constants constants = constants_for(*context.model, options);
  const std::uint32_t in_turn = constants.gpcs * constants.tpc_sms;
  const std::uint64_t of_largest_gpc = std::min<std::uint64_t>(
      sms, std::uint64_t{(sms + in_turn - 1) / in_turn} * constants.tpc_sms);
  if (size == 1 || size <= of_largest_gpc * std::max(1u, blocks_per_sm)) return {};
  return fmt::format(
      "time: no GPC of {} SMs holds a cluster of {} blocks, so the launch is executed, not timed",
      of_largest_gpc, size);
}

void TimedLaunch::dispatch_clusters() {
  while (next_block_ < blocks_ / cluster_.count()) {
    const std::vector<std::uint32_t> places = places_for_cluster();
    if (places.empty()) return;
    Cycle begin = now_;
    for (const std::uint32_t sm : places) begin = std::max(begin, place_ready_[sm]);
    begin += cluster_starts_.wait(
        begin, constants_.cluster_start_interval * Server::kTicks / Calendar::kHundred);
    start_cluster(places, begin);
  }
}

// Starts cluster number `next_block_`.
void TimedLaunch::start_cluster(const std::vector<std::uint32_t>& places, Cycle begin) {
  const auto cluster = std::make_shared<ResidentCluster>();
  std::vector<std::unique_ptr<Block>> blocks;
  for (std::uint32_t rank = 0; rank < places.size(); ++rank) {
    blocks.push_back(take_spare());
    cluster->blocks.push_back(blocks.back().get());
    cluster->sms.push_back(&sms_[places[rank]]);
    cluster->ports.push_back(&sms_[places[rank]].cluster_port());
    shared_.source.start_block(
        core_, *blocks.back(),
        block_in_cluster(context_.request->grid, cluster_, next_block_, rank));
  }
  ++next_block_;
  join_cluster(cluster->blocks);
  for (std::uint32_t rank = 0; rank < places.size(); ++rank) {
    if (context_.options->observer != nullptr)
      context_.options->observer->block_started(core_, *blocks[rank]);
    place_ready_[places[rank]] = begin + sm_block_interval();
    sms_[places[rank]].start_block(std::move(blocks[rank]), begin, cluster);
  }
}

// The others no longer reach the block, nor wait for it at their barrier.
void TimedLaunch::end_in_cluster(const EndedBlock& ended) {
  Cycle& ready = place_ready_[ended.sm];
  ready = std::max(ready, ended.time + constants_.latency_block_start);
  leave_cluster(*ended.block);
  std::ranges::replace(ended.cluster->blocks, ended.block.get(), nullptr);
  ended.cluster->look_at_barrier(ended.time);
}

}  // namespace heddle::simulator::timing
