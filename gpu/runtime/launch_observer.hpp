// An observer of the launches of a context: the record writer, the capsule writer, the line
// that tells how far a launch is.
#pragma once

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::runtime {

struct StreamEvent;  // gpu/runtime/timeline.hpp

// Called on the engine's thread, around every launch.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  // The next launch comes from a grid, not from the program: how many grids launched one another
  // before it. Each comes after the one that launched it and before what that one's stream has
  // next.
  virtual void nested(unsigned) {}
  virtual void before(simulator::Device& device, const simulator::LaunchRequest& request) = 0;
  // Now and then while it runs (simulator::LaunchOptions::watch); false stops the launch.
  virtual bool during(const simulator::LaunchProgress&) { return true; }
  // Whether no other launch may execute between before() and after().
  virtual bool one_launch_at_a_time() const { return false; }
  // Observes the launch while it executes; queried after before(); null: none does.
  virtual simulator::Observer* instructions() { return nullptr; }
  // In a context that is timed: a copy, or a kernel (before its `after`).
  virtual void worked(const StreamEvent&) {}
  virtual void after(simulator::Device& device, const simulator::LaunchRequest& request,
                     const simulator::LaunchOutcome& outcome) = 0;
  // Another module may come to lie where this one does.
  virtual void unloading(const simulator::Module&) {}
};

}  // namespace heddle::runtime
