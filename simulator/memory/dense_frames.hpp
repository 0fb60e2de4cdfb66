// Huge pages for the parts of large allocations that are used all over, and only for those.
//
// Warps walk through memory with large steps: with small pages nearly every access would miss the
// host's TLB. But where a program touches one page in each 2 MiB, huge pages take up to 512 times
// the memory that it uses. What a large allocation holds is therefore in small pages at first.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace heddle::simulator {

class DenseFrames {
 public:
  static constexpr std::uint64_t kFrame = 2 << 20;  // of a huge page

  // Whole frames, zeroed and not touched.
  void add(std::byte* first, std::uint64_t bytes);
  void remove(std::byte* first);
  // Such memory was written, or its pages were given back: they may be small ones again.
  void changed(const std::byte* at, std::uint64_t bytes);
  // Merges the pages of frames of which half was touched. Takes a fiftieth of the time that
  // passes, at most, however often it is called.
  void settle();
  // The same, whenever it was called before.
  void settle_now();

 private:
  using Clock = std::chrono::steady_clock;
  std::map<std::byte*, std::vector<bool>> ranges_;  // by frame: whether it is a huge page
  Clock::time_point ended_{};                       // of the last time
  Clock::duration took_{};
  bool possible_ = true;  // where the system has none, nothing changes
};

}  // namespace heddle::simulator
