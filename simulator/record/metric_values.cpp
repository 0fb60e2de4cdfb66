#include "simulator/record/metric_values.hpp"

#include <mutex>
#include <unordered_set>

namespace heddle::simulator {

MetricName::MetricName(std::string_view text) {
  static std::mutex& mutex = *new std::mutex;
  static auto& texts = *new std::unordered_set<std::string>;
  std::lock_guard lock(mutex);
  text_ = &*texts.emplace(text).first;
}

}  // namespace heddle::simulator
