// What a launch came to that its counts do not say: its outcome tells what follows
// (launch_outcome.cpp).
#pragma once

#include <cstdint>

namespace heddle::simulator {

struct Seen {
  bool unordered_reads = false;     // UnorderedReads found one
  bool uncounted_reunions = false;  // groups met where hardware's counters add by a rule not known
  bool patches_show = false;        // as Reconvergence::patches_show, in a warp of the launch
  bool printed = false;             // device code called vprintf
  bool used_heap = false;           // … malloc or free
  bool launched_grids = false;      // … what launches grids
  bool waited_for_others = false;   // for memory that only the host or other streams could change
  std::uint64_t cancelled = 0;      // blocks that never began, because others did their work

  Seen& operator|=(const Seen& other) {
    unordered_reads |= other.unordered_reads;
    uncounted_reunions |= other.uncounted_reunions;
    patches_show |= other.patches_show;
    printed |= other.printed;
    used_heap |= other.used_heap;
    launched_grids |= other.launched_grids;
    waited_for_others |= other.waited_for_others;
    cancelled += other.cancelled;
    return *this;
  }
};

}  // namespace heddle::simulator
