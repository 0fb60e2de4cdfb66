// A cache of a program's code or constants. Lines of one program are few, so that presence is an
// array; the line that came first is the first to go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/timing/big_page_vector.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class LineCache {
 public:
  // `lines`: of the program; `capacity`: lines it holds.
  void start(std::uint32_t lines, std::uint32_t capacity);
  // When the line is there; kNever: it has not been asked for, or is gone.
  Cycle arrival(std::uint32_t line) const { return arrival_[line]; }
  bool is_on_its_way(std::uint32_t line, Cycle now) const {
    return arrival_[line] != kNever && arrival_[line] > now;
  }
  // Lines that came once stay.
  bool holds_all() const { return capacity_ >= arrival_.size(); }
  // A line that is not there.
  void insert(std::uint32_t line, Cycle arrival);

 private:
  std::vector<Cycle> arrival_;
  std::vector<std::uint32_t> order_;  // a ring of what it holds
  std::size_t next_ = 0, capacity_ = 1;
};

// A cache in sets of a few lines each, of which that which was read longest ago is the first to go.
class SetCache {
 public:
  void start(std::uint32_t sets, std::uint32_t ways);
  // As above. `place`: its remainder is the number of the set that the line is sought in.
  Cycle arrival(std::uint32_t place, std::uint32_t line);
  // The same, which is not a read.
  Cycle find(std::uint32_t place, std::uint32_t line) const;
  void insert(std::uint32_t place, std::uint32_t line, Cycle arrival);

 private:
  struct Way {
    std::uint32_t line = 0;
    Cycle arrival = kNever;
    std::uint64_t read = 0;  // how many reads had been made before the last of it
  };
  std::span<Way> set(std::uint32_t place);
  std::span<const Way> set(std::uint32_t place) const;

  BigPageVector<Way> ways_;
  std::uint32_t sets_ = 1, of_set_ = 1;
  std::uint64_t reads_ = 0;
};

}  // namespace heddle::simulator::timing
