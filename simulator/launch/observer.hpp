// Looking on while a launch executes: one call per executed warp instruction, with the memory it
// touched. What steps, traces, times or checks a run is built on this; a run that nobody observes
// pays nothing for it.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "simulator/base/mask.hpp"
#include "simulator/base/pc.hpp"
#include "simulator/launch/views.hpp"
#include "simulator/memory/access_counts.hpp"
#include "simulator/memory/address_space.hpp"
#include "simulator/warp/flow.hpp"

namespace heddle::simulator {

// Memory that one instruction touched in one space. A generic access makes one for each space its
// lanes resolve to; LDGSTS one for each side.
struct Access {
  AccessKind kind{};
  Window space{};
  std::uint32_t width = 0;  // bytes per thread
  Mask lanes{};
  Addresses address{};  // of the lanes in `lanes`; the others hold whatever registers gave
  AccessCounts counts;
  // Known to be by all lanes, each piece beginning where the one before it ends.
  bool adjoining = false;
  // Bits in which an address may differ from that of the first lane; all of them: not known.
  std::uint64_t spread = ~std::uint64_t{0};

  // Bytes that hold all that it touches, and often more.
  struct Around {
    std::uint64_t address = 0, bytes = 0;  // 0 bytes: not known
  };
  Around around() const {
    if (lanes.empty() || spread >> 63 != 0) return {};
    const std::uint64_t below = (std::uint64_t{1} << std::bit_width(spread)) - 1;
    return {address[lanes.first()] & ~below, below + width};
  }
};

// One executed warp instruction.
struct Issue {
  Pc pc;  // in Program::instructions
  Mask active{};
  Mask on{};  // the part of `active` whose guard held
  Flow flow = Flow::next;
  std::span<const Access> accesses;  // in the order they happened; valid during the call
};

// In a timed launch: a stretch of cycles in which a warp did not issue.
struct Waited {
  std::uint64_t from = 0, until = 0;
  std::string_view reason;  // Nsight Compute's name, as timing::Stall has it; static text
  std::uint32_t sub_core = 0;
};

// Calls come in the order of execution, from one host thread: a launch that is observed runs on
// one.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void block_started(const CoreView&, const BlockView&) {}
  // Before an instruction executes: the registers are still those it reads. `next.flow` and
  // `next.accesses` are not filled in.
  virtual void issuing(const CoreView&, const WarpView&, const Issue& next) { (void)next; }
  virtual void issued(const CoreView&, const WarpView&, const Issue& issue) = 0;
  // By pc: how many instructions from there on it need not be told of one by one. Lane operations
  // are what may be left out; whatever stands there, others are told. Asked for when a launch
  // begins; empty: it is told of all. Of those left out `passed` tells, a run at a time.
  virtual std::span<const std::uint8_t> left_out() const { return {}; }
  // The instructions from `first` to before `end` were executed by the lanes `active`.
  virtual void passed(const CoreView&, const WarpView&, Pc first, Pc end, Mask active) {
    (void)first, (void)end, (void)active;
  }
  // Stretches of one warp come in their order, but not always before what it issues next.
  virtual void waited(const CoreView&, const WarpView&, const Waited&) {}
  // Nothing in the block, nor in its cluster, can go on: the launch ends with a deadlock.
  virtual void stuck(const CoreView&, const BlockView&) {}
  // All its warps ended; not called for blocks that a fault cut off.
  virtual void block_ended(const CoreView&, const BlockView&) {}
};

}  // namespace heddle::simulator
