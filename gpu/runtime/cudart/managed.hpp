// What a program has said of managed memory: advice that changes nothing here, and is told when
// asked.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "gpu/runtime/abi.hpp"

namespace heddle::runtime {

// Of each byte; ranges without any are not kept.
struct Advice {
  bool read_mostly = false;
  bool accessed_by_device = false, accessed_by_host = false;
  abi::MemLocation preferred{0, abi::kInvalidDeviceId};   // type 0: none
  abi::MemLocation prefetched{0, abi::kInvalidDeviceId};  // the last one
};

class AdviceTable {
 public:
  static AdviceTable& instance();
  void forget(std::uint64_t address, std::uint64_t bytes);
  template <typename Change>
  void change(std::uint64_t address, std::uint64_t bytes, Change change) {
    std::lock_guard lock(mutex_);
    split(address);
    split(address + bytes);
    for (auto at = states_.find(address); at->first < address + bytes; ++at) change(at->second);
  }
  // The states of a range, without where they begin.
  std::vector<Advice> of(std::uint64_t address, std::uint64_t bytes);

 private:
  void split(std::uint64_t address);  // a state begins there

  std::mutex mutex_;
  std::map<std::uint64_t, Advice> states_{{0, {}}};  // by their first byte; the last has no end
};

}  // namespace heddle::runtime
