// What a launch's branches, loops, calls and accesses did, thread by thread: what a sketch is
// derived from. Of a function that is called from several places, apart for each.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/control_flow.hpp"
#include "simulator/launch/observer.hpp"

namespace heddle::traces {

// One execution of a conditional branch, a conditional EXIT or RET by a warp; or of a branch or
// call to several places: `taken` are then those that went to one of them.
struct BranchEvent {
  std::uint32_t block = 0, warp = 0;
  simulator::Mask active{}, taken{};
};

// How the addresses of a memory instruction lay.
struct AccessProfile {
  std::uint64_t executions = 0, lanes = 0, sectors = 0, ideal = 0;
  std::uint64_t same = 0;                         // executions with one address for all lanes
  std::map<std::int64_t, std::uint64_t> strides;  // words between neighbouring lanes; executions
  bool shared = false;
};

class BranchProfile : public simulator::Observer {
 public:
  // A function as it was called: 0 is the kernel.
  using Context = std::uint32_t;
  // Where lanes went, by code address, and each execution. Lanes whose guard did not hold are
  // active and nowhere.
  struct Ways {
    std::vector<BranchEvent> events;                              // nothing taken
    std::vector<std::map<std::uint64_t, simulator::Mask>> lanes;  // of each event
  };

  // `program` outlives this.
  explicit BranchProfile(const isa::Program& program);

  void issuing(const simulator::CoreView& core, const simulator::WarpView& warp,
               const simulator::Issue& next) override;
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override;
  void block_ended(const simulator::CoreView& core, const simulator::BlockView& block) override;

  const std::vector<BranchEvent>& events(Context context, std::uint64_t address) const;
  const AccessProfile* accesses(Context context, std::uint64_t address) const;
  // Of CALL, and of branches to what a register says.
  const Ways* ways(Context context, std::uint64_t address) const;
  // The function that the call at `address` led to; nothing where it was the driver's and has no
  // code.
  std::optional<Context> called(Context context, std::uint64_t address, std::uint64_t entry) const;
  // Events beyond this many are not kept: the first blocks speak for all.
  static constexpr std::uint64_t kMostEvents = 300'000;
  bool complete() const { return complete_; }
  // Nor is it known who called whom where there are more ways to be called than this (recursion).
  static constexpr std::size_t kMostContexts = 1000;
  bool knows_callers() const { return callers_.size() < kMostContexts; }

 private:
  struct Site {
    Context context = 0;
    std::uint64_t address = 0;
    friend auto operator<=>(const Site&, const Site&) = default;
  };
  // Where a lane has left from, while it has not come anywhere yet.
  struct Leaving {
    Site site;
    std::size_t event = 0;
    bool calls = false;
  };
  struct WarpState {
    std::array<Context, simulator::kWarpSize> context{};
    std::array<Leaving, simulator::kWarpSize> leaving{};
    simulator::Mask under_way{};
  };
  WarpState& state_of(const simulator::WarpView& warp);
  void arrive(WarpState& state, simulator::Mask lanes, std::uint64_t address);
  void leave(WarpState& state, const simulator::WarpView& warp, const simulator::Issue& next,
             std::uint64_t address, bool calls);
  bool keeps_another();
  template <typename Body>
  static void for_each_context(const WarpState& state, simulator::Mask lanes, Body&& body);

  const isa::Program& program_;
  std::vector<bool> leaves_by_predicate_;  // by index of the instruction
  std::map<Site, std::vector<BranchEvent>> events_;
  std::map<Site, AccessProfile> accesses_;
  std::map<Site, Ways> ways_;
  std::map<std::pair<Site, std::uint64_t>, Context> called_;
  std::vector<Context> callers_{0};  // by context
  std::unordered_map<std::uint64_t, std::vector<WarpState>> blocks_;
  std::uint64_t kept_ = 0;
  bool complete_ = true;
};

}  // namespace heddle::traces
