// The tick of an SM: `run` goes from one cycle with something to do to the next, in which the
// sub-cores concerned take their turns.
#include "simulator/timing/sm.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator::timing {

Sm::Sm(SmContext& context, std::uint32_t index, std::uint64_t l1_bytes, GpcCache& gpc,
       const SmPlace& place)
    : units_(context, *this, index, gpc, place), by_count_(context.constants.sub_cores) {
  units_.memory.start(l1_bytes);
  sub_cores_.reserve(context.constants.sub_cores);
  for (unsigned i = 0; i < context.constants.sub_cores; ++i) sub_cores_.emplace_back(units_, i);
}

// Those that have something to do: bit 0, number `first`, the bits above it those behind, round to
// the ones before it.
inline std::uint64_t Sm::due_sub_cores(Cycle now, unsigned first) const {
  std::uint64_t due = 0;
  unsigned at = 0;
  for (const SmUnits::Visits& visits : units_.next_visits)
    for (const Cycle visit : visits) due |= std::uint64_t{visit <= now ? 1u : 0u} << at++;
  const auto count = static_cast<unsigned>(sub_cores_.size());
  const std::uint64_t all = (std::uint64_t{1} << count) - 1;
  return (due << count | due) >> first & all;
}

bool Sm::run(Cycle end) {
  const auto count = static_cast<unsigned>(sub_cores_.size());
  for (;;) {
    const Cycle event = units_.next_event(), now = std::min(event, units_.next_visit());
    if (now >= end) return true;
    if (event == now) advance_units(now);
    // Sub-cores take turns in being first at what they share.
    const auto first = static_cast<unsigned>(by_count_.rest(now));
    for (std::uint64_t due = due_sub_cores(now, first); due != 0;) {
      const auto behind = static_cast<unsigned>(std::countr_zero(due));
      const unsigned turn = first + behind;
      SubCore& sub_core = sub_cores_[turn < count ? turn : turn - count];
      due &= due - 1;
      const SubCore::Visited visited = sub_core.visit(now, end, due == 0);
      if (visited == SubCore::Visited::done) continue;
      if (visited == SubCore::Visited::stopped) return false;
      release_barrier(sub_core.last_block(), sub_core.last_issue());
      due = due_sub_cores(now, first) >> (behind + 1) << (behind + 1);
    }
  }
}

void Sm::advance_units(Cycle now) {
  if (units_.memory.next_event() <= now) advance_memory(now);
  if (units_.copies.next_event() <= now) units_.copies.advance(now, units_.memory);
  if (units_.arrivals.next_event() <= now) units_.arrivals.advance(now);
}

// Instructions that waited for the memory unit are taken up, and leave room in its queues.
void Sm::advance_memory(Cycle now) {
  const std::span<const Served> taken = units_.memory.advance(now);
  for (const Outstanding& each : units_.memory.read())
    sub_cores_[each.slot / kSlots].read_sources(each, now);
  for (const Served& served : taken) sub_cores_[served.who.slot / kSlots].take_up(served, now);
  for (std::uint64_t left = units_.memory.made_room(); left != 0; left &= left - 1)
    sub_cores_[static_cast<unsigned>(std::countr_zero(left))].find_room(now);
}

// All warps of the block leave its barrier together, once the last arrival has been taken
// (beginning.n1.* of gpu/kernels/micro/timing/queues.cu).
void Sm::release_barrier(std::uint32_t block, Cycle now) {
  const Cycle opens = std::max(now, units_.arrival_taken) + units_.constants.latency_barrier;
  for (SubCore& sub_core : sub_cores_) sub_core.leave_barrier(block, now, opens);
}

void Sm::open_cluster_barrier(const ResidentCluster& cluster, Cycle opened) {
  units_.blocks.open_cluster_barrier(cluster, opened);
  for (SubCore& sub_core : sub_cores_) sub_core.leave_cluster_barrier(cluster);
}

void Sm::start_block(std::unique_ptr<Block> block, Cycle begin,
                     std::shared_ptr<ResidentCluster> cluster) {
  const std::uint32_t place = units_.blocks.add(std::move(block), std::move(cluster));
  units_.products.forget(place);
  for (Warp& warp : units_.blocks.block(place).warps) {
    if (warp.convergence->finished()) continue;  // before it came here
    units_.blocks.start_warp(place, begin);
    SubCore& sub_core = *std::ranges::min_element(sub_cores_, {}, &SubCore::warps);
    sub_core.start_warp(warp, place, begin);
    begin += units_.constants.warp_start_interval;
  }
}

// What they change is looked up when the SM's turn comes, and all of it has been prefetched.
void Sm::answer(Cycle now) {
  answered_ = now;
  const auto is_awaited = [this](const Outstanding& who) {
    return sub_cores_[who.slot / kSlots].holds(who);
  };
  if (!units_.memory.any_waiting(is_awaited)) take_answers();
}

void Sm::take_answers() {
  if (answered_ == kNever) return;
  units_.copies.collect(units_.memory.requests(), answered_);
  for (const Outstanding& answer : units_.memory.collect())
    sub_cores_[answer.slot / kSlots].take_answer(answer, answered_);
  answered_ = kNever;
}

void Sm::add_to(Result& result) {
  units_.blocks.add_to(result);
  for (const SubCore& sub_core : sub_cores_) result.issued += sub_core.issued();
  result.traffic += units_.memory.traffic();
}

}  // namespace heddle::simulator::timing
