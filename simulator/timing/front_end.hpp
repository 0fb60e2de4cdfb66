// Instruction and constant caches of an SM. Lines of one program are few, so that presence is an
// array; the line that came first is the first to go.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/timing/constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/program.hpp"

namespace heddle::simulator::timing {

class LineCache {
 public:
  // `lines`: of the program; `capacity`: lines it holds.
  void start(std::uint32_t lines, std::uint32_t capacity);
  // When the line is there; kNever: it has not been asked for, or is gone.
  Cycle arrival(std::uint32_t line) const { return arrival_[line]; }
  void insert(std::uint32_t line, Cycle arrival);

 private:
  std::vector<Cycle> arrival_;
  std::vector<std::uint32_t> order_;  // a ring of what it holds
  std::size_t next_ = 0, capacity_ = 1;
};

class FrontEnd {
 public:
  explicit FrontEnd(const Constants& constants) : constants_(constants) {}
  // Before a launch that begins at instruction `entry`. `cold`: L2 is empty.
  void start(const TimedProgram& program, std::uint32_t entry, bool cold);

  // When instructions of a code line can issue in a sub-core that wants them now. A stream runs
  // ahead of what is wanted.
  Cycle instructions(unsigned sub_core, std::uint32_t line, Cycle now);
  // When a constant that is an operand can be read; and one that LDC reads.
  Cycle operand(std::uint32_t line, Cycle now) { return constant(operands_, line, now); }
  Cycle indexed(std::uint32_t line, Cycle now) { return constant(indexed_, line, now); }

 private:
  struct SubCore {
    LineCache lines;
    std::uint32_t stream_end = 0;  // the first line that the stream has not asked for
    std::uint32_t stream_begin = 0;
  };
  void fetch_ahead_of_launch(const TimedProgram& program, std::uint32_t entry);
  Cycle fetch(SubCore& sub_core, std::uint32_t line, Cycle now);
  void fetch_first(Cycle now);
  Cycle constant(LineCache& cache, std::uint32_t line, Cycle now);

  const Constants& constants_;
  std::vector<SubCore> sub_cores_;
  LineCache l1_, l15_;
  LineCache operands_, indexed_, constants_l15_;
  Server l1_port_, l15_port_, l2_port_;  // lines of code
  std::uint32_t code_lines_ = 0;
  // The lines that come together when the first warp asks for one of them; none once they have.
  std::uint32_t first_begin_ = 0, first_end_ = 0;
  bool cold_ = true;
};

}  // namespace heddle::simulator::timing
