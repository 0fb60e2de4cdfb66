// The memory unit of an SM: the queues of its sub-cores, address calculation, the unit they share,
// L1 and shared memory. What L1 lacks becomes requests to L2, answered between two quanta of time.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "simulator/observer.hpp"
#include "simulator/timing/constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/memory_system.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/result.hpp"
#include "simulator/timing/sector_cache.hpp"

namespace heddle::simulator::timing {

// An instruction that waits for answers of L2.
struct Outstanding {
  std::uint32_t slot = 0;      // of its warp
  std::uint32_t instance = 0;  // of the warp in that slot
  std::uint64_t number = 0;    // counts the warp's instructions
  std::uint8_t scoreboard = kNoScoreboard;
  bool is_store = false, is_async = false;
  Cycle done = 0;  // once the answers are there
};

// When an instruction's result is there and its sources have been read.
struct Completion {
  Cycle sources_read = 0;
  Cycle done = 0;            // of the parts that are known
  bool outstanding = false;  // more depends on L2
};

class LoadStoreUnit {
 public:
  LoadStoreUnit(const Constants& constants, std::uint32_t sm);
  // Before a launch: `l1_bytes` of cache.
  void start(std::uint64_t l1_bytes);

  // Whether the sub-core's queue has room; otherwise `until` is when it will.
  bool has_room(unsigned sub_core, Cycle now, Cycle& until) const;
  // Takes an instruction that touched `accesses`. `waiting` says who will want to know.
  Completion issue(unsigned sub_core, Cycle now, const Timed& instruction,
                   std::span<const Access> accesses, std::uint64_t local_region,
                   const Outstanding& waiting);
  // SHFL and LDC pass through the queue and the shared unit alone.
  Cycle pass(unsigned sub_core, Cycle now, const Timed& instruction);

  std::vector<Request>& requests() { return requests_; }
  // After L2 has answered: who waited, with `done`. Forgets the requests.
  std::span<const Outstanding> collect();
  Traffic& traffic() { return traffic_; }

 private:
  // Sectors of one line that an instruction touches.
  struct Piece {
    LineNumber line = 0;
    SectorMask sectors = 0;
    std::uint8_t operations = 0;  // lanes, of the sector that has most
  };
  struct Fill {
    Cycle done = 0;
    std::uint32_t request = 0;  // while done is kNever: who will bring it
  };
  using Tags = SectorCache<Fill>;
  struct Queue {
    std::vector<Cycle> leaves;  // of the last instructions, a ring
    std::size_t next = 0;
    Cycle address_unit_free = 0;
  };
  // An instruction and the requests it waits for.
  struct Pending {
    Outstanding who;
    Cycle known = 0;
    std::uint32_t first = 0, count = 0;  // in waits_
  };

  Cycle enter(unsigned sub_core, Cycle now, Cycle busy, Cycle address_busy);
  Cycle passes(const Access& access) const;
  void split(const Access& access, std::uint64_t local_region);
  void access_memory(const Timed& instruction, const Access& access, Cycle base, Cycle now,
                     Completion& completion);
  void load(const Piece& piece, const Timed& instruction, Lookups& lookups, Cycle base, Cycle hit,
            Completion& completion);
  void hold_back_stores();
  void send(Request::Kind kind, const Piece& piece, Cycle base);

  const Constants& constants_;
  const std::uint32_t sm_;
  std::vector<Queue> queues_;  // one for each sub-core
  Cycle shared_unit_free_ = 0;
  Tags l1_;
  std::vector<Piece> pieces_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> waits_;
  std::vector<Pending> pending_;
  std::vector<Outstanding> collected_;
  std::vector<LineNumber> awaited_lines_;
  Traffic traffic_;
};

}  // namespace heddle::simulator::timing
