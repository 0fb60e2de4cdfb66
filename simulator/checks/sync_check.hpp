// --check sync: block barriers that some threads pass by, warps that disagree about a barrier's
// count, masks that do not name the lanes that execute or name others that never come, and
// deadlocks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "simulator/checks/check.hpp"

namespace heddle::simulator::checks {

class SyncCheck : public Check {
 public:
  using Check::Check;
  void begin(const LaunchRequest& request) override;
  void block_started(const Core& core, const Block& block) override;
  void issuing(const Core& core, const Warp& warp, const Issue& next) override;
  bool looks_before(const Step& step) const override;
  void stuck(const Core& core, const Block& block) override;
  void block_ended(const Core& core, const Block& block) override;

 private:
  // Of one thread.
  struct Thread {
    std::uint32_t barriers = 0;      // of the whole block that it came to
    std::uint32_t last_barrier = 0;  // where the last one of them stands
    std::uint32_t end = 0;           // by which way it ended: an EXIT, or what led to it
  };
  // The _sync calls of a warp with one mask.
  struct Calls {
    Mask mask{};
    std::array<std::uint32_t, kWarpSize> of_lane{};  // how many each lane made
    std::array<std::uint32_t, kWarpSize> last_pc{};
  };
  struct BlockState {
    std::vector<Thread> threads;            // by warp and lane
    std::vector<std::vector<Calls>> calls;  // by warp
    std::array<Actor, 16> last_arrival;     // at each barrier
  };
  void at_barrier(const Core& core, const Warp& warp, const Issue& next, const Step& step);
  void at_warp_sync(const Core& core, const Warp& warp, const Issue& next, const Step& step);
  void note_calls(const Warp& warp, const Issue& next, const std::uint32_t* masks);
  void look_at_masks(const BlockState& state, const Block& block, std::uint32_t warp);
  void report_passed_by(const BlockState& state, const Block& block, std::size_t most,
                        std::size_t fewest);

  std::map<std::uint64_t, BlockState> blocks_;
  bool for_debugging_ = false;
  std::vector<bool> leads_to_end_;  // by pc, of code compiled with -G
};

}  // namespace heddle::simulator::checks
