// How long launches may take that the command executes itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace heddle::cli {

// Warp instructions of a capsule's launch, or a sketch's, where nothing else is said: some ten
// minutes. Nobody is to wait for input from elsewhere that never ends.
inline constexpr std::uint64_t kUsualInstructions = std::uint64_t{1} << 34;

inline constexpr std::uint64_t kMostSeconds = 1'000'000;

// --timeout
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  // Nothing: there is none.
  explicit Deadline(std::optional<std::uint64_t> seconds) {
    if (seconds) end_ = Clock::now() + std::chrono::seconds(*seconds);
  }
  // Whether it has passed; asked now and then, it says so from then on.
  bool passed() {
    passed_ = passed_ || (end_ && Clock::now() >= *end_);
    return passed_;
  }
  // Whether anything was cut off by it.
  bool was_reached() const { return passed_; }

 private:
  std::optional<Clock::time_point> end_;
  bool passed_ = false;
};

}  // namespace heddle::cli
