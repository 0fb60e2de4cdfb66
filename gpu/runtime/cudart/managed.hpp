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
  std::uint32_t accessed_by = 0;  // a bit for each GPU
  bool accessed_by_host = false;
  abi::MemLocation preferred{0, abi::kInvalidDeviceId};   // type 0: none
  abi::MemLocation prefetched{0, abi::kInvalidDeviceId};  // the last one
};

class AdviceTable {
 public:
  static AdviceTable& instance();
  void forget(std::uint64_t address, std::uint64_t bytes);
  // It holds for whole pages of the host's, as with CUDA.
  template <typename Change>
  void change(std::uint64_t address, std::uint64_t bytes, Change change) {
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t first = address / kPage * kPage;
    const std::uint64_t end = (address + bytes + kPage - 1) / kPage * kPage;
    std::lock_guard lock(mutex_);
    split(first);
    split(end);
    for (auto at = states_.find(first); at->first < end; ++at) change(at->second);
  }
  // The states of a range, without where they begin.
  std::vector<Advice> of(std::uint64_t address, std::uint64_t bytes);

 private:
  void split(std::uint64_t address);  // a state begins there

  std::mutex mutex_;
  std::map<std::uint64_t, Advice> states_{{0, {}}};  // by their first byte; the last has no end
};

}  // namespace heddle::runtime
