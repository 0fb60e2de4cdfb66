// Notices warps that only wait for what others will write: for long they have read memory that
// others may be writing, and changed none. Their turn then ends early, and that of a block all of
// whose warps do so; or whatever they wait for would come after a million instructions.
#pragma once

#include <cstdint>

namespace heddle::simulator {

class Polling {
 public:
  // Times are counts of issued instructions.
  void begin_turn(std::uint64_t now) {
    since_ = now;
    looks_ = 0;
    waits_ = false;
  }
  // The warp made a strong load, or an atomic that left memory as it was. True: its turn is over.
  // `stored`: when native code last changed memory, of which `change` is not told.
  bool look(std::uint64_t now, std::uint64_t stored) {
    if (stored > since_) change(stored);
    ++looks_;
    waits_ = looks_ >= kLooks && now - since_ >= kInstructions;
    return waits_;
  }
  // It changed memory that other warps see.
  void change(std::uint64_t now) {
    since_ = now;
    looks_ = 0;
  }
  // Whether its turn ended early.
  bool waits() const { return waits_; }

 private:
  // As many instructions as are looked at for loops without an end (spinning.cpp).
  static constexpr std::uint64_t kInstructions = 1 << 12, kLooks = 1 << 4;
  std::uint64_t since_ = 0, looks_ = 0;
  bool waits_ = false;
};

}  // namespace heddle::simulator
