// A launch that can be executed one instruction at a time, forward and back.
//
// Nothing is kept per step. Every few thousand instructions the state of the blocks that have
// begun is kept aside, and of global memory what it held before it was first written since then.
// To go back is to load the last state before the wanted place and to execute from there; the order
// in which warps execute is fixed (that of Device::launch on one thread), so the same step is the
// same state each time. Where this would take too much memory, every other kept state is dropped
// and they are taken half as often.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/launch/views.hpp"

namespace heddle::simulator {

struct ReplayOptions {
  std::uint64_t interval = 1 << 12;           // instructions between kept states, at first
  std::uint64_t memory_limit = 256ull << 20;  // bytes for them
  LaunchSettings settings = {};               // nothing is timed or checked, on one thread
};

class Replay {
 public:
  // The device's memory is what the launch begins with; while the replay lives it is as the launch
  // has it at the present step, and nobody else may change it. `device` and what `request` points
  // to must outlive it. Device printf is not shown.
  Replay(Device& device, const LaunchRequest& request, ReplayOptions options = {});
  ~Replay();

  // Instructions executed so far.
  std::uint64_t step() const;
  // The warp that executes next; nothing when the launch has ended.
  std::optional<WarpView> next() const;
  bool ended() const;
  const std::optional<Fault>& fault() const;
  CoreView core() const;
  // A block that has begun and not ended, or nothing.
  std::optional<BlockView> block(std::uint64_t linear) const;
  std::vector<BlockView> blocks() const;  // all of them, the one that executes first

  // Executes one instruction; false when the launch has ended.
  bool forward(Observer* observer = nullptr);
  // To where `step` instructions have been executed, or to the end. The observer sees those that
  // are executed on the way, which are not all where the way leads back.
  void go_to(std::uint64_t step, Observer* observer = nullptr);
  // To before the last of the instructions executed so far for which `wanted` says yes, asked after
  // each once `look` has seen it. Where there is none: false, and nothing has changed. `go_on` is
  // asked now and then and may end the search.
  bool back_to(Observer& look, const std::function<bool()>& wanted,
               const std::function<bool()>& go_on = {});

  // A number that differs, but for chance, where blocks, memory or the place do.
  std::uint64_t digest() const;
  std::uint64_t kept_bytes() const;
  std::uint64_t interval() const;

 private:
  class State;  // the blocks, and what is kept of earlier ones
  std::unique_ptr<State> state_;
};

}  // namespace heddle::simulator
