// One SM: sub-cores that issue, what they share, and the blocks on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/timing/divisor.hpp"
#include "simulator/timing/sub_core.hpp"

namespace heddle::simulator::timing {

class Sm {
 public:
  Sm(SmContext& context, std::uint32_t index, std::uint64_t l1_bytes, GpcCache& gpc,
     const SmPlace& place);
  Sm(const Sm&) = delete;
  Sm& operator=(const Sm&) = delete;

  std::uint32_t index() const { return units_.sm; }
  // What the host thread works with that calls `run` next. `beside`: threads that run other SMs at
  // the same time; null: none does.
  void use(SmContext& context, const SmThreads* beside) {
    units_.context = &context;
    units_.front_end.run_beside(beside);
  }
  // Its warps begin to issue at `begin`. `cluster`: that it is of, if the launch has any.
  void start_block(std::unique_ptr<Block> block, Cycle begin,
                   std::shared_ptr<ResidentCluster> cluster = nullptr);
  // Through which other SMs access the shared memory here.
  Calendar& cluster_port() { return units_.blocks.cluster_port(); }
  CopyEngine& copies() { return units_.copies; }
  LateArrivals& arrivals() { return units_.arrivals; }
  // The cluster's barrier releases the warps that wait there, from that time on.
  void open_cluster_barrier(const ResidentCluster& cluster, Cycle opened);
  std::size_t blocks() const { return units_.blocks.count(); }
  // When something may happen; kNever: not by itself.
  Cycle next_event() const {
    return std::min({answered_, units_.next_event(), units_.next_visit()});
  }
  // Has the host fetch what `run` will need of it.
  void prefetch(PrefetchStage stage, Cycle until) const;
  // Issues all that issues before `end`. False: the launch stops.
  bool run(Cycle end);
  BigPageVector<Request>& requests() { return units_.memory.requests(); }
  // The requests have been answered; no answer is due before `now`. They are to be taken before
  // `run`.
  void answer(Cycle now);
  void take_answers();
  std::vector<EndedBlock>& ended() { return units_.blocks.ended(); }
  const Block* any_block() const { return units_.blocks.any(); }
  void add_to(Result& result);

 private:
  std::uint64_t due_sub_cores(Cycle now, unsigned first) const;
  void advance_units(Cycle now);
  void advance_memory(Cycle now);
  void release_barrier(std::uint32_t block, Cycle now);

  SmUnits units_;
  std::vector<SubCore, BigPageAllocator<SubCore, Fresh::zeroed>> sub_cores_;
  const Divisor by_count_;   // of sub-cores
  Cycle answered_ = kNever;  // when; kNever: all answers have been taken
};

}  // namespace heddle::simulator::timing
