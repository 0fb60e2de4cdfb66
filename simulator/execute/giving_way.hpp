// Lets the warps of a block advance evenly where they may race: a warp's turn ends behind accesses
// that another warp's may have to come before (simulator/launch/ordered_accesses.hpp). Warps of a
// GPU do not wait for one another either: the further they are from a block barrier, the further
// apart they are. So a warp gives way a number of times only, from one barrier to the next.
#pragma once

#include <cstdint>

namespace heddle::simulator {

class GivingWay {
 public:
  // `times`: how often the warp has given way since its last block barrier.
  void begin_turn(bool may, std::uint32_t times) {
    left_shared_ = may && times < kShared;
    left_global_ = may && times < kGlobal;
    gave_ = false;
  }
  // The warp is at such an access, of shared memory or of global memory alone. True: its turn is
  // over with it.
  bool access(bool shared) {
    gave_ = would(shared);
    return gave_;
  }
  // It was, and its turn has ended, as one would.
  void give() { gave_ = true; }
  // Whether one would end it.
  bool would(bool shared) const { return gave_ || (shared ? left_shared_ : left_global_); }
  // Whether its turn ended so.
  bool gave() const { return gave_; }

 private:
  // Loads of global memory are all under way before the first one is answered.
  static constexpr std::uint32_t kShared = 64, kGlobal = 1;
  bool left_shared_ = false, left_global_ = false, gave_ = false;
};

}  // namespace heddle::simulator
