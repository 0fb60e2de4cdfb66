// Whether blocks of a launch use the same words by atomics whose results they need: as the results
// depend on the order, such blocks cannot be executed on several host threads.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::simulator {

class ContendedWords {
 public:
  void use(std::uint64_t address, std::uint64_t block) {
    if (last_.empty()) last_.resize(kPlaces, {~std::uint64_t{0}, 0});
    Use& last = last_[address / kWordBytes * kScrambles >> kShift];
    found_ |= last.address == address && last.block != block;
    last = {address, block};
  }
  bool found() const { return found_; }
  // Whether there were any such atomics.
  bool any() const { return !last_.empty(); }

 private:
  // The last ones, by a number that differs for most words.
  static constexpr unsigned kShift = 52;
  static constexpr std::uint64_t kPlaces = std::uint64_t{1} << (64 - kShift), kWordBytes = 4,
                                 kScrambles = 0x9e37'79b9'7f4a'7c15;
  struct Use {
    std::uint64_t address, block;
  };
  std::vector<Use> last_;
  bool found_ = false;
};

}  // namespace heddle::simulator
