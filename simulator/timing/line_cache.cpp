#include "simulator/timing/line_cache.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

void LineCache::start(std::uint32_t lines, std::uint32_t capacity) {
  arrival_.assign(lines, kNever);
  capacity_ = std::max(1u, capacity);
  order_.clear();
  next_ = 0;
}

void LineCache::insert(std::uint32_t line, Cycle arrival) {
  if (order_.size() < capacity_) {
    order_.push_back(line);
  } else {
    arrival_[order_[next_]] = kNever;
    order_[next_] = line;
    next_ = (next_ + 1) % capacity_;
  }
  arrival_[line] = arrival;
}

}  // namespace heddle::simulator::timing
