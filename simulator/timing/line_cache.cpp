#include "simulator/timing/line_cache.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

void LineCache::start(std::uint32_t lines, std::uint32_t capacity) {
  arrival_.assign(lines, kNever);
  capacity_ = std::max(1u, capacity);
  order_.clear();
  order_.reserve(std::min<std::size_t>(lines, capacity_));
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

void SetCache::start(std::uint32_t sets, std::uint32_t ways) {
  sets_ = std::max(1u, sets);
  of_set_ = std::max(1u, ways);
  ways_.assign(std::size_t{sets_} * of_set_, {});
  reads_ = 0;
}

std::span<SetCache::Way> SetCache::set(std::uint32_t place) {
  return std::span(ways_).subspan(std::size_t{place % sets_} * of_set_, of_set_);
}

std::span<const SetCache::Way> SetCache::set(std::uint32_t place) const {
  return std::span(ways_).subspan(std::size_t{place % sets_} * of_set_, of_set_);
}

Cycle SetCache::find(std::uint32_t place, std::uint32_t line) const {
  for (const Way& way : set(place))
    if (way.arrival != kNever && way.line == line) return way.arrival;
  return kNever;
}

Cycle SetCache::arrival(std::uint32_t place, std::uint32_t line) {
  for (Way& way : set(place)) {
    if (way.arrival == kNever || way.line != line) continue;
    way.read = ++reads_;
    return way.arrival;
  }
  return kNever;
}

void SetCache::insert(std::uint32_t place, std::uint32_t line, Cycle arrival) {
  *std::ranges::min_element(set(place), {}, &Way::read) = {line, arrival, ++reads_};
}

}  // namespace heddle::simulator::timing
