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
#pragma once

#include <array>
#include <cstdint>
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
  void passed(const Warp& warp, Pc first, Pc end, Mask active) override;
  bool looks_before(const Step& step) const override;
  bool follows_runs() const override { return true; }
  void block_ended(const Core& core, const Block& block) override;

 private:
  struct WarpTrack;
  // A result on its way, or a source that is still to be read.
  struct Pending {
    std::uint64_t since;     // the cycle of its issue
    std::uint64_t sequence;  // of the warp's instructions
    Pc pc;
    std::uint8_t scoreboard;
    bool fixed;  // its time is what the compiler counts

    // Member by member: a whole one would be built in memory first, and waited for.
    void set(const WarpTrack& track, Pc at, std::uint8_t guard, bool is_fixed);
  };
  // By place. Where no lanes are, nothing is pending, and what `of` holds means nothing.
  struct Places {
    std::array<Mask, kPlaces> lanes;
    std::array<Pending, kPlaces> of;
  };
  static constexpr std::size_t kKeptGroups = 8;  // of products, as many as a wait can leave
  static constexpr std::uint8_t kNoGroupWait = 0xff;
  struct WarpTrack {
    WarpTrack() { start(); }
    void start();
    Places results, sources;
    // By scoreboard: the instructions that it counts.
    std::array<std::vector<std::uint64_t>, timing::kScoreboards> counted;
    std::uint64_t now, sequence;
    std::array<std::uint64_t, timing::kScoreboards> last_count;  // when each was counted up
    std::array<std::uint64_t, timing::kScoreboards> settled;     // all up to this sequence are done
    std::uint64_t most_settled;                                  // of them
    // Warp groups' products: the last one of each of the last groups, in a ring; how many groups;
    // all products up to this sequence are done.
    std::array<std::uint64_t, kKeptGroups> group_ends;
    std::uint64_t groups, products_settled;
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
    WarpTrack& track;
    Pc pc;
    Mask active, on;
  };
  // Instructions one after the other that set no scoreboard and of which at most the first waits:
  // among them all is the same whenever they execute.
  struct Stretch {
    std::uint32_t end = 0;               // pc; 0: not looked at yet
    bool in_time = false;                // none uses another's result too early
    std::uint32_t uses = 0, writes = 0;  // indices in uses_ and last_writes_
    std::uint32_t use_count = 0, write_count = 0;
    std::uint32_t cycles = 0;
  };
  // A place that the stretch reads or writes before any of its instructions has written it.
  struct FirstUse {
    std::uint16_t place;
    bool reads, writes;
    std::uint32_t since;  // cycles from the stretch's first issue: when it is read
  };
  struct StretchPlaces;
  struct LastWrite {
    std::uint16_t place;
    std::uint32_t pc, since;
  };
  void decode(std::uint32_t pc);
  const Decoded& decoded(std::uint32_t pc) {
    if (decoded_[pc].stall == 0) [[unlikely]]
      decode(pc);
    return decoded_[pc];
  }
  WarpTrack& track_of(const Warp& warp);
  void follow(const Execution& now);
  // hazard_stretches.cpp
  const Stretch& stretch_at(std::uint32_t first, std::uint32_t end);
  void find_stretch(std::uint32_t first, std::uint32_t end, Stretch& found);
  void note_uses(const Decoded& in, std::uint32_t pc, Stretch& found, StretchPlaces& places);
  bool starts_in_order(WarpTrack& track, const Stretch& stretch, std::uint32_t first, Mask on);
  void follow(WarpTrack& track, const Stretch& stretch, std::uint32_t first, Mask on);
  static bool is_plain(const Decoded& in);
  static void wait(WarpTrack& track, const Decoded& in);
  static void wait(WarpTrack& track, unsigned scoreboard, std::size_t left);
  static void wait_for_groups(WarpTrack& track, std::size_t left);
  static bool is_settled(const WarpTrack& track, const Pending& pending);
  void look_at_read(const Execution& now, unsigned place, bool as_guard);
  void look_at_write(const Execution& now, const Decoded& in, unsigned place);
  bool adds_to_product(const WarpTrack& track, const Decoded& in, unsigned place) const;
  static void count(WarpTrack& track, const Decoded& in);
  void report(const Execution& now, const char* kind, const Pending& pending, Mask lanes,
              std::string message, std::string details);

  void prepare(const Core& core);

  const Module* module_ = nullptr;  // of this launch
  std::string code_;                // its code's hash
  timing::TimedProgram timed_;      // of that code
  std::vector<Decoded> decoded_;    // by pc
  std::vector<std::uint16_t> places_;
  std::vector<Stretch> stretches_;  // by the pc of the first instruction
  std::vector<FirstUse> uses_;
  std::vector<LastWrite> last_writes_;
  using Tracks = std::vector<std::unique_ptr<WarpTrack>>;
  std::map<std::uint64_t, Tracks> blocks_;  // by linear index
  Tracks spare_;                            // of blocks that have ended
  Tracks* last_tracks_ = nullptr;           // that track_of found, and whose
  std::uint64_t last_block_ = 0;
};

}  // namespace heddle::simulator::checks
