// Where warps split, which lanes went which way, where they met again, and what it cost: the tree
// of paths of a launch, made while it executes.
//
// A path is a way through branches that split their warp: root, or one side of a branch taken from
// another path. A group of lanes is on one path at a time; groups that meet go on on the path that
// all of them were on when they were last together. A branch that splits a path again which it had
// split before (a loop's) makes no deeper path, so the tree is finite.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/launch/observer.hpp"

namespace heddle::traces {

inline constexpr std::uint32_t kRootPath = 0;

struct Path {
  std::uint32_t parent = kRootPath;
  std::uint32_t branch = 0, target = 0;  // indices in Program::instructions
  std::uint64_t entered = 0;             // times a group of lanes took it
  std::uint64_t steps = 0;               // warp instructions executed on it
  std::uint64_t threads = 0;             // lanes active in them, added up
  std::uint64_t lost = 0;  // lane slots idle because lanes of the parent path were not on it
};

// Everything about one branch that split warps.
struct SplitSite {
  std::uint64_t splits = 0;
  std::uint64_t again = 0;  // of these: while lanes it had split off before were still away
  std::uint64_t lost = 0;   // lane slots, as Path::lost
  std::uint64_t steps = 0;  // executed while the warp was split here, innermost or not
  std::map<std::uint32_t, std::uint64_t> met;  // instruction at which lanes met again: how often
  // (active lanes, of them those that went where they jumped): how often. The commonest; what came
  // after kMostPatterns different ones is in `other_patterns`.
  std::map<std::pair<simulator::Mask, simulator::Mask>, std::uint64_t> patterns;
  std::uint64_t other_patterns = 0;
};
inline constexpr std::size_t kMostPatterns = 64;

// Where the lane slots of a launch went, 32 for each warp instruction; they add up.
struct SlotBudget {
  std::uint64_t used = 0;           // active, guard held
  std::uint64_t predicated = 0;     // active, guard did not hold
  std::uint64_t split = 0;          // on another side of a branch
  std::uint64_t held = 0;           // on the same path, but waiting somewhere or not met again yet
  std::uint64_t ended = 0;          // exited before the rest of the warp
  std::uint64_t never_started = 0;  // the block's size is no multiple of 32
  std::uint64_t total() const { return used + predicated + split + held + ended + never_started; }
};

class Divergence {
 public:
  void block_started(const simulator::BlockView& block);
  void block_ended(const simulator::BlockView& block);
  // Before the instruction executes; returns the path of the lanes about to execute it.
  std::uint32_t issuing(const simulator::WarpView& warp, const simulator::Issue& next);
  void issued(const simulator::WarpView& warp, const simulator::Issue& issue);

  const std::vector<Path>& paths() const { return paths_; }                   // [0] is the root
  const std::map<std::uint32_t, SplitSite>& sites() const { return sites_; }  // by branch
  const SlotBudget& slots() const { return slots_; }
  std::uint64_t steps() const { return steps_; }

 private:
  // A path taken at one time by one warp.
  struct Taken {
    std::uint32_t path = kRootPath;
    std::uint32_t parent = 0;  // index in WarpPaths::taken
    simulator::Mask lanes{};
  };
  struct WarpPaths {
    std::vector<Taken> taken;
    std::array<std::uint32_t, simulator::kWarpSize> of_lane{};  // index in taken
  };

  WarpPaths& of(const simulator::WarpView& warp);
  std::uint32_t child(std::uint32_t parent, std::uint32_t branch, std::uint32_t target);
  void meet(WarpPaths& warp, const simulator::Issue& next);
  void account(const WarpPaths& paths, const simulator::WarpView& warp,
               const simulator::Issue& next);
  void split(WarpPaths& paths, const simulator::WarpView& warp, const simulator::Issue& issue);
  static void forget_left_paths(WarpPaths& paths);

  std::vector<Path> paths_{1};
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> children_;
  std::map<std::uint32_t, SplitSite> sites_;
  std::unordered_map<std::uint64_t, std::vector<WarpPaths>> blocks_;  // those that run
  SlotBudget slots_;
  std::uint64_t steps_ = 0;
};

}  // namespace heddle::traces
