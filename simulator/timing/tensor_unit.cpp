#include "simulator/timing/tensor_unit.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

TensorUnit::TensorUnit(const Constants& constants)
    : constants_(constants), begun_(std::max(1u, constants.group_queue_entries)) {}

Cycle TensorUnit::issue(const Timed& product, Cycle begin) {
  begun_[next_] = begin;
  next_ = next_ + 1 == begun_.size() ? 0 : next_ + 1;
  return begin + product.columns_time + constants_.latency_group_done;
}

Cycle GroupTimes::begin(std::uint32_t block, std::uint32_t group, std::uint64_t number,
                        Cycle earliest, Cycle interval) {
  Product& product = groups_[block * kMostGroups + group][number % kKept];
  if (product.number != number) product = {number, 0, free_};
  product.begin = std::max(product.begin, earliest);
  free_ = std::max(free_, product.begin + interval);
  return product.begin;
}

void GroupTimes::complete(std::uint32_t block, std::uint32_t group, std::uint64_t number,
                          Cycle time) {
  Product& product = groups_[block * kMostGroups + group][number % kKept];
  if (product.number != number) product = {number, 0, 0};
  product.time = std::max(product.time, time);
}

Cycle GroupTimes::completed(std::uint32_t block, std::uint32_t group, std::uint64_t number) const {
  const auto found = groups_.find(block * kMostGroups + group);
  if (found == groups_.end()) return 0;
  const Product& product = found->second[number % kKept];
  return product.number == number ? product.time : 0;
}

void GroupTimes::forget(std::uint32_t block) {
  arrivals_.erase(block);
  for (std::uint32_t group = 0; group < kMostGroups; ++group)
    groups_.erase(block * kMostGroups + group);
}

}  // namespace heddle::simulator::timing
