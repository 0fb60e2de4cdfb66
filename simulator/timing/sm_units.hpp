// What the sub-cores of an SM share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simulator/memory/texture.hpp"
#include "simulator/timing/address_divergence.hpp"
#include "simulator/timing/copy_engine.hpp"
#include "simulator/timing/front_end.hpp"
#include "simulator/timing/late_arrivals.hpp"
#include "simulator/timing/load_store.hpp"
#include "simulator/timing/operand_sources.hpp"
#include "simulator/timing/resident_blocks.hpp"
#include "simulator/timing/sm_context.hpp"
#include "simulator/timing/tensor_unit.hpp"

namespace heddle::simulator::timing {

// Twice as many are bits of a word (Sm::due_sub_cores).
inline constexpr unsigned kMostSubCores = 31;

struct SmUnits {
  SmUnits(SmContext& first, Sm& owner, std::uint32_t number, GpcCache& gpc, const SmPlace& place)
      : context(&first),
        constants(first.constants),
        sm(number),
        observed(first.core.launch.options->observer != nullptr),
        runs_ahead(!observed && first.source.executes()),
        next_visits((constants.sub_cores + kVisitsAtOnce - 1) / kVisitsAtOnce),
        memory(constants, number),
        adu(constants),
        copies(constants),
        front_end(constants, first.program, first.core.launch.entry, gpc, gpc.way_to(place),
                  number),
        blocks(constants, owner, number) {}

  SmContext* context;  // of the host thread that runs the SM
  const Constants& constants;
  const std::uint32_t sm;
  const bool observed;
  const bool runs_ahead;  // sub-cores may, where nobody sees it (issue_loop.cpp)
  // When something may happen in each sub-core; kNever: not by itself. Side by side, as they are
  // looked at in each cycle, and in groups of a size that the compiler knows: of most SMs one.
  static constexpr unsigned kVisitsAtOnce = 4;
  struct Visits : std::array<Cycle, kVisitsAtOnce> {
    Visits() { fill(kNever); }
  };
  std::vector<Visits> next_visits;
  Cycle next_visit() const {
    Cycle next = kNever;
    for (const Visits& visits : next_visits)
      for (const Cycle visit : visits) next = std::min(next, visit);
    return next;
  }
  // When something may happen elsewhere in the SM.
  Cycle next_event() const {
    return std::min({memory.next_event(), copies.next_event(), arrivals.next_event()});
  }
  // Whether nothing else of the SM happens before the next visit of a sub-core, which is at `time`,
  // or at that time.
  bool comes_first(Cycle time) const {
    if (next_event() <= time) return false;
    unsigned due = 0;
    for (const Visits& visits : next_visits)
      for (const Cycle visit : visits) due += visit <= time ? 1 : 0;
    return due == 1;
  }
  LoadStoreUnit memory;
  AddressDivergenceUnit adu;
  CopyEngine copies;
  LateArrivals arrivals;
  GroupTimes products;
  FrontEnd front_end;
  ResidentBlocks blocks;
  Server fences;            // of all sub-cores
  Cycle arrival_taken = 0;  // when the last arrival at a block barrier was
  // What the instruction reads that issues.
  IndexedConstants indexed;
  TextureHeader texture;
};

}  // namespace heddle::simulator::timing
