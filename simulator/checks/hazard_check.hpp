// --check hazards: whether the control codes of the instructions honour latencies: for people who
// patch machine code. (What the model computes does not depend on them; what a GPU computes does.)
//
// Each warp's instructions are followed as they issue, as fast as their stall counts allow. A
// result of fixed latency must not be used before its time; one that a scoreboard guards not
// before an instruction of the warp has waited for that scoreboard; and the sources of a memory
// instruction must not be overwritten before they are read. The latencies are the least that
// hardware needs between any two instructions of the kind (hazard_latencies.hpp), so that what is
// reported is wrong; not all that is wrong is reported.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/checks/check.hpp"
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
  bool looks_before(const Step&) const override { return true; }
  void block_ended(const Core& core, const Block& block) override;

 private:
  // A result on its way, or a source that is still to be read.
  struct Pending {
    Mask lanes = 0;  // none: nothing is pending
    Pc pc;
    std::uint64_t since = 0;     // the cycle of its issue
    std::uint64_t sequence = 0;  // of the warp's instructions
    std::uint8_t scoreboard = timing::kNoScoreboard;
    bool fixed = false;  // its time is what the compiler counts
  };
  struct WarpTrack {
    std::array<Pending, kPlaces> results, sources;
    // By scoreboard: the instructions that it counts.
    std::array<std::deque<std::uint64_t>, timing::kScoreboards> counted;
    std::uint64_t now = 0, sequence = 0;
    std::array<std::uint64_t, timing::kScoreboards> last_count{};  // when each was counted up
    std::array<std::uint64_t, timing::kScoreboards> settled{};  // all up to this sequence are done
  };
  struct Decoded {
    RegisterUses uses;
    timing::Timed timed;
    bool is_memory = false;
    std::uint8_t predicate_scoreboard = timing::kNoScoreboard;  // that guards those it writes
  };
  const Decoded& decoded(std::uint32_t pc);
  void wait(WarpTrack& track, const Decoded& instruction) const;
  bool is_settled(const WarpTrack& track, const Pending& pending) const;
  void look_at_reads(const Warp& warp, WarpTrack& track, const Issue& next, const Decoded& in);
  void look_at_writes(const Warp& warp, WarpTrack& track, const Issue& next, const Decoded& in);
  void note_issue(WarpTrack& track, const Issue& next, const Decoded& in);
  void report(const Warp& warp, const Issue& next, const char* kind, const Pending& pending,
              std::string message, std::string details);

  void prepare(const Core& core);

  const Module* module_ = nullptr;                                           // of this launch
  std::string code_;                                                         // its code's hash
  timing::TimedProgram timed_;                                               // of that code
  std::map<std::uint32_t, Decoded> decoded_;                                 // by pc
  std::map<std::uint64_t, std::vector<std::unique_ptr<WarpTrack>>> blocks_;  // by linear index
};

}  // namespace heddle::simulator::checks
