// A cache of a program's code or constants. Lines of one program are few, so that presence is an
// array; the line that came first is the first to go.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class LineCache {
 public:
  // `lines`: of the program; `capacity`: lines it holds.
  void start(std::uint32_t lines, std::uint32_t capacity);
  // When the line is there; kNever: it has not been asked for, or is gone.
  Cycle arrival(std::uint32_t line) const { return arrival_[line]; }
  // Lines that came once stay.
  bool holds_all() const { return capacity_ >= arrival_.size(); }
  // A line that is not there.
  void insert(std::uint32_t line, Cycle arrival);

 private:
  std::vector<Cycle> arrival_;
  std::vector<std::uint32_t> order_;  // a ring of what it holds
  std::size_t next_ = 0, capacity_ = 1;
};

}  // namespace heddle::simulator::timing
