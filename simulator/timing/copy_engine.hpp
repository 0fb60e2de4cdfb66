// The copy engine of an SM: boxes of tensors and runs of bytes, to shared memory and out of it, one
// copy behind another and each a line at a time. A row of a box that is shorter than a line takes
// as long as one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "simulator/execute/l2_fetches.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/late_arrivals.hpp"
#include "simulator/timing/memory_system.hpp"

namespace heddle::simulator::timing {

class LoadStoreUnit;
struct Timed;

class CopyEngine {
 public:
  explicit CopyEngine(const Constants& constants)
      : constants_(constants), incoming_(constants.interval_box_line) {}

  // A block that a copy comes to: its SM's engine and barriers.
  struct Receiver {
    CopyEngine* engine = nullptr;
    LateArrivals* arrivals = nullptr;
    BarrierUpdate update;
    Cycle latest = 0;  // of the lines that have come
  };
  // Of a box: the bytes of a row (0: it is no box), and its map's promotion.
  struct Box {
    std::uint32_t row_bytes = 0;
    unsigned promotion = 0;
  };
  // Takes a copy whose instruction has touched `accesses`. Without receivers it goes to global
  // memory. When its source has been read, as far as that does not wait for memory.
  Cycle add(Cycle now, const Timed& instruction, std::span<const Access> accesses, const Box& box,
            std::vector<Receiver> receivers);
  // L2 is to bring the memory.
  void prefetch(Cycle now, const Timed& instruction, std::span<const MemoryRun> memory);
  // How much longer than others a fence for the GPU takes that begins at `now`
  // (docs/experiments/warpgroup-probe.md#fences).
  Cycle fence(Cycle now);
  // It also waits for the loads taken before it. How many those are, and when as many will have
  // come; kNever: that is not known yet.
  std::uint64_t loads() const { return loads_taken_; }
  Cycle complete(std::uint64_t loads) const {
    return loads_taken_ - loads_.size() < loads ? kNever : last_told_;
  }

  // When it next asks for lines, of `memory`.
  Cycle next_event() const { return copies_.empty() ? kNever : copies_.front().next; }
  void advance(Cycle now, LoadStoreUnit& memory);
  // L2 has answered `requests`, which are about to be forgotten. The time is not before `now`.
  void collect(std::span<const Request> requests, Cycle now);

 private:
  struct LinePart {
    LineNumber line = 0;
    SectorMask sectors = 0;
    SectorMask brings = 0;  // as of a Request
  };
  struct Copy {
    Request::Kind kind = Request::Kind::read;
    std::vector<LinePart> lines;
    bool brings_neighbours = false;  // of each line the other one of 256 bytes, into L2
    std::size_t asked = 0;
    Cycle next = 0;                // when the next line is asked for
    std::uint64_t hundredths = 0;  // and the part of a cycle
    std::uint32_t interval = 0;    // 1/100 cycle
  };
  // A load whose lines have not all come.
  struct Load {
    std::uint64_t number = 0;
    std::size_t lines = 0;
    Cycle extra = 0;
    std::vector<Receiver> receivers;
  };
  // Requests to L2 that are not answered yet.
  struct Asked {
    std::uint32_t first = 0, count = 0;
    std::uint64_t load = 0;
  };
  static std::vector<LinePart> lines_of(std::span<const Access> accesses, bool loads,
                                        std::uint32_t row_bytes);
  // The time at which it begins to ask for lines.
  Cycle enqueue(Copy copy, Cycle ready, const Timed& instruction);
  static void ask_for_neighbours(const Copy& copy, std::size_t count, LoadStoreUnit& memory);
  Cycle pass(Cycle time);
  Cycle receive(Cycle time);
  void receive_lines(std::span<const Request> requests, Load& load, Cycle now);

  const Constants& constants_;
  Cycle free_ = 0;
  bool knows_maps_ = false;
  bool unfenced_ = false;   // it was given copies since the last fence
  Cycle fenced_until_ = 0;  // what that fence waited for
  std::uint64_t loads_taken_ = 0;
  Cycle last_told_ = 0;                  // when the last load whose lines have all come is told of
  std::uint64_t taken_ = 0, front_ = 0;  // copies; the number of the first in copies_
  std::deque<Copy> copies_;
  std::deque<Load> loads_;
  std::vector<Asked> asked_;
  std::array<Cycle, 64> passed_{};  // when the last lines came, in the order of asking
  std::uint64_t lines_passed_ = 0;
  Calendar incoming_;  // lines that copies bring, also those of other SMs
};

}  // namespace heddle::simulator::timing
