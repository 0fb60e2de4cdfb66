// Going through a launch with one warp in view, forward and back. It draws nothing.
//
// Between commands the warp in view is the one that executes next, unless it has ended; what other
// warps execute meanwhile is executed on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/device/replay.hpp"
#include "traces/analysis/call_log.hpp"
#include "traces/analysis/changes.hpp"
#include "traces/analysis/listing.hpp"
#include "traces/analysis/variables.hpp"
#include "traces/stepper/breakpoint.hpp"

namespace heddle::traces {

class Stepper {
 public:
  // `device` and what `request` points to must outlive it; see simulator::Replay.
  Stepper(simulator::Device& device, const simulator::LaunchRequest& request,
          const simulator::ReplayOptions& options = {});

  enum class Stop {
    there,        // where the command leads
    warp_ended,   // the warp in view executes nothing more
    ended,        // the launch has ended
    none,         // there is no such place: nothing has changed
    interrupted,  // somewhere on the way
  };
  // Asked now and then on long ways; false ends them.
  std::function<bool()> go_on;

  Stop forward();
  Stop back();
  Stop over();       // as forward, but past all that a call does
  Stop next_line();  // to where the warp is at another source line
  Stop last_line();
  Stop next_divergence();  // to after it
  Stop last_divergence();
  Stop next_reconvergence();
  Stop last_reconvergence();
  Stop to(const CodePlace& place);  // forward to where the warp is at it
  Stop next_breakpoint();           // of any warp, which comes into view
  Stop last_breakpoint();
  Stop to_step(std::uint64_t step);  // whichever warp is next comes into view
  // Brings a warp into view; where its block has not begun, goes there.
  Stop view(std::uint64_t block, std::uint32_t warp);

  std::vector<Breakpoint> breakpoints;

  const simulator::Replay& replay() const { return replay_; }
  const simulator::LaunchRequest& request() const { return request_; }
  Listing& listing() { return listing_; }
  const Variables& variables() const { return variables_; }
  std::uint64_t block() const { return block_; }
  std::uint32_t warp_index() const { return warp_; }
  // The warp in view; null when its block is not on the GPU.
  std::optional<simulator::WarpView> warp() const;
  // Of the warp in view, calls it is in: indices of call instructions, the outermost first.
  std::vector<std::uint32_t> calls() const;
  // What the last command's last instruction of the warp changed; nothing after going back.
  const Changes& changes() const { return changes_; }
  const std::string& changes_text() const { return changes_text_; }

 private:
  enum class Event { any, divergence, reconvergence };
  class Watcher;

  bool in_view(const simulator::WarpView& warp) const {
    return warp.index() == warp_ && warp.block().linear() == block_;
  }
  bool is_next() const { return replay_.next() && in_view(*replay_.next()); }
  bool asked_to_stop();
  Stop execute(Event until);
  Stop settle();
  Stop back_to(Event wanted);
  Stop run_until(const std::function<bool()>& there);
  bool at_breakpoint(const simulator::WarpView& warp, const simulator::Issue& next);
  void follow_next();
  std::uint32_t line_here();
  std::optional<std::uint32_t> pc_here() const;

  const simulator::LaunchRequest request_;
  simulator::Replay replay_;
  Listing listing_;
  const Variables variables_;
  CallLog calls_;
  std::uint64_t block_ = 0;
  std::uint32_t warp_ = 0;
  Changes changes_;
  std::string changes_text_;
  std::uint32_t patience_ = 0;
};

}  // namespace heddle::traces
