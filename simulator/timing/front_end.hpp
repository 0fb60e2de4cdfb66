// Instruction and constant caches of an SM.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/gpc_cache.hpp"
#include "simulator/timing/line_cache.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/sm_threads.hpp"

namespace heddle::simulator::timing {

class FrontEnd {
 public:
  // Before a launch that begins at instruction `entry`. `way`: from the GPC's cache, which other
  // SMs use as well.
  FrontEnd(const Constants& constants, const TimedProgram& program, std::uint32_t entry,
           GpcCache& gpc, Calendar& way, std::uint32_t sm);
  // Threads that run other SMs at the same time; null: none does.
  void run_beside(const SmThreads* others) { beside_ = others; }

  // When instructions of a code line can issue in a sub-core that wants them now, for the warp in a
  // slot of it.
  Cycle instructions(unsigned sub_core, unsigned slot, std::uint32_t line, Cycle now);
  // Whether `instructions` would ask nothing of what the sub-cores share.
  bool keeps_code(unsigned sub_core, std::uint32_t line) const;
  // When a constant that is an operand can be read; one whose place is that which ULDC names, in
  // lines, and what a register adds; and all that an LDC reads, in the order of its lanes.
  Cycle operand(unsigned sub_core, std::uint32_t line, Cycle now);
  Cycle uniform(unsigned sub_core, std::uint32_t line, std::uint32_t named, Cycle now);
  Cycle indexed(std::span<const std::uint32_t> lines, Cycle now);
  // Whether `operand` would find the line there, whatever others ask for before.
  bool keeps_operand(std::uint32_t line, Cycle now) const {
    return operands_.holds_all() && operands_.arrival(line) <= now;
  }

 private:
  struct SubCore {
    LineCache lines;
    bool begun = false;
    std::uint32_t first_warps = 0;  // that have waited for the launch's first lines
    std::uint32_t last = ~0u;       // the line asked for last
    // The line of constants asked for last, how often while it was on its way, and when it comes.
    std::uint32_t operand = ~0u, operand_requests = 0;
    Cycle operand_arrival = 0;
  };
  // A line that a stream has asked for: when the GPC's cache has it ready, and when the way is free
  // for it.
  struct Ahead {
    std::uint32_t line;
    Cycle ready, begins;
  };
  // What fetches ahead of a warp: the lines on their way, from where to where it has gone, and when
  // the way is free for the next.
  struct Stream {
    std::uint32_t warp = 0;
    std::deque<Ahead> ahead;
    std::uint32_t begin = 0, end = 0;
    Cycle way_free = 0, begun = 0;  // behind them all; behind those it has begun
    Server from_l2;
    std::uint64_t used = 0;

    bool contains(std::uint32_t line) const { return line >= begin && line < end; }
  };

  // The GPC's SMs use it, and the way from it, in the order of their numbers.
  GpcCache& gpc() const {
    if (beside_ != nullptr) await_gpc();
    return gpc_;
  }
  Cycle leave(Cycle now) {
    gpc();
    return way_.take(now);
  }
  Cycle constant(std::uint32_t line, Cycle now) { return way_.take(gpc().constant(line, now)); }
  void await_gpc() const;
  // Behind the last line that a sub-core has which wants `line`: the next one comes as well, and
  // one more where warps come to it without a jump, so that straight code of one warp runs at full
  // speed out of the SM's cache.
  std::uint32_t end_of_wanted(const SubCore& sub_core, std::uint32_t line) const {
    if (line == sub_core.last) return line + 1;
    return std::min(code_lines_, line + (line == sub_core.last + 1 ? 3 : 2));
  }
  Cycle fetch_operand(unsigned sub_core, std::uint32_t line, bool on_its_way, Cycle now);
  Cycle fetch(SubCore& sub_core, std::uint32_t warp, std::uint32_t line, Cycle now);
  Cycle fetch_first(SubCore& sub_core, std::uint32_t warp, std::uint32_t line, Cycle now);
  Cycle in_l1(std::uint32_t warp, std::uint32_t line, Cycle now);
  Stream& stream_of(std::uint32_t warp);
  void send(Stream& stream, Ahead& ahead, Cycle now) const;
  void deliver_until(Cycle now);
  Cycle deliver_first(Stream& stream);
  Ahead request(Stream& stream, std::uint32_t line, Cycle now);
  void run_ahead(Stream& stream, std::uint32_t line, Cycle now);

  const Constants& constants_;
  GpcCache& gpc_;
  Calendar& way_;
  const std::uint32_t sm_;
  const SmThreads* beside_ = nullptr;
  std::vector<SubCore> sub_cores_;
  const std::vector<ConstantLine>& constant_places_;
  LineCache operands_;
  SetCache l1_, uniform_, indexed_;
  Calendar l1_port_;  // of lines to the sub-cores
  std::uint32_t code_lines_ = 0;
  std::vector<Stream> streams_;
  std::uint64_t requests_ = 0;
  // The lines that come together when the launch's first warp asks for one, and when.
  std::uint32_t first_begin_ = 0, first_end_ = 0;
  Cycle first_arrival_ = kNever;
};

}  // namespace heddle::simulator::timing
