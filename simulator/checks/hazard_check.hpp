// --check hazards: whether the control codes of the instructions honour latencies: for people who
// patch machine code. (What the model computes does not depend on them; what a GPU computes does.)
//
// Each warp's instructions are followed as they issue, as fast as their stall counts allow. A
// result of fixed latency must not be used before its time; one that a scoreboard guards not
// before an instruction of the warp has waited for that scoreboard; and the sources of a memory
// instruction must not be overwritten before they are read. What a product of a warp group reads
// and writes is its own until the warp has waited for its group (WARPGROUP.DEPBAR). The latencies
// are the least that hardware needs between any two instructions of the kind
// (hazard_latencies.hpp), so that what is reported is wrong; not all that is wrong is reported.
//
// What happened once is looked up afterwards (hazard_states.hpp). Where a warp does what none has
// done before, its track is followed, instruction by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/checks/check.hpp"
#include "simulator/checks/hazard_states.hpp"
#include "simulator/checks/hazard_track.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/warp/register_uses.hpp"

namespace heddle::simulator::checks {

class HazardCheck : public Check {
 public:
  using Check::Check;
  void begin(const LaunchRequest& request) override;
  // Throws std::runtime_error where the GPU model has no timing constants.
  void block_started(const Core& core, const Block& block) override;
  void issuing(const Core& core, const Warp& warp, const Issue& next) override;
  void passed(const Warp& warp, Pc first, Pc end, Mask active) override;
  bool looks_before(const Step& step) const override;
  bool follows_runs() const override { return true; }
  void block_ended(const Core& core, const Block& block) override;

 private:
  static constexpr std::uint8_t kNoGroupWait = 0xff;
  // A warp: its state, or its track where that has no number.
  struct Followed {
    HazardState state;
    std::uint32_t without_number = 0;    // events since it was known
    std::unique_ptr<HazardTrack> track;  // made when it is needed
  };
  // Of an instruction, what is looked at whenever it executes.
  struct Decoded {
    std::uint32_t places = 0;  // index in places_: those it reads, then those it writes
    std::uint8_t reads = 0, writes = 0;
    std::uint16_t guard = kPlaces;
    std::uint8_t stall = 0;      // cycles to the warp's next instruction; 0: not decoded yet
    std::uint8_t waits_for = 0;  // scoreboards that must be zero
    // DEPBAR: of which scoreboard how many instructions may be left.
    std::uint8_t counted_by = timing::kNoScoreboard, left = 0;
    std::uint8_t write_scoreboard = timing::kNoScoreboard, read_scoreboard = timing::kNoScoreboard;
    std::uint8_t predicate_scoreboard = timing::kNoScoreboard;  // that guards those it writes
    std::uint8_t latency = 0;  // least_latency of no reader is more, but where it guards that
    bool is_guarded = false;   // its results are, by scoreboards
    bool is_memory = false;
    bool is_product = false, ends_group = false;  // of a warp group
    std::uint8_t groups_left = kNoGroupWait;      // WARPGROUP.DEPBAR: how many it leaves
    bool waits() const {
      return waits_for != 0 || counted_by != timing::kNoScoreboard || groups_left != kNoGroupWait;
    }
  };
  // One executing instruction.
  struct Execution {
    const Warp& warp;
    HazardTrack& track;
    Pc pc;
    Mask active, on;
  };
  void decode(std::uint32_t pc);
  const Decoded& decoded(std::uint32_t pc) {
    if (decoded_[pc].stall == 0) [[unlikely]]
      decode(pc);
    return decoded_[pc];
  }
  Followed& followed(const Warp& warp);
  void happens(const Warp& warp, const HazardEvent& event);
  void look_closely(const Warp& warp, Followed& followed, const HazardEvent& event);
  void follow(const Execution& now);
  static void wait(HazardTrack& track, const Decoded& in);
  void look_at_read(const Execution& now, unsigned place, bool as_guard);
  void look_at_write(const Execution& now, const Decoded& in, unsigned place);
  bool answer_in_order(Pc before, Pc now) const;
  bool adds_to_product(const HazardTrack& track, const Decoded& in, unsigned place) const;
  static void count(HazardTrack& track, const Decoded& in);
  void report(const Execution& now, const char* kind, const HazardTrack::Pending& pending,
              Mask lanes, std::string message, std::string details);

  void prepare(const Core& core);

  const Module* module_ = nullptr;  // of this launch
  std::string code_;                // its code's hash
  timing::TimedProgram timed_;      // of that code
  std::vector<Decoded> decoded_;    // by pc
  std::vector<std::uint16_t> places_;
  HazardStates states_;  // of warps of that code
  std::uint64_t reports_ = 0;
  using Warps = std::vector<Followed>;
  std::map<std::uint64_t, Warps> blocks_;            // by linear index
  std::vector<std::unique_ptr<HazardTrack>> spare_;  // of blocks that have ended
  Warps* last_warps_ = nullptr;                      // that followed() found, and whose
  std::uint64_t last_block_ = 0;
};

}  // namespace heddle::simulator::checks
