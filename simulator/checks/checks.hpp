// `heddle run --check`: observes the launches of one device, and tells what it found.
//
// Each check (check.hpp) is a file of its own. The core knows nothing of them: a launch that
// nobody checks pays nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulator/launch/check_options.hpp"
#include "simulator/launch/finding.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/launch/observer.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/memory/memory_watcher.hpp"

namespace heddle::simulator::checks {

class Check;
class Findings;

class Checks : public Observer, public MemoryWatcher {
 public:
  // Watches `memory`, of the device whose launches are checked, until it ends. What is allocated
  // already counts as written.
  Checks(const Options& options, DeviceMemory& memory);
  ~Checks() override;
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  // Around a launch. `beside` observes it too; may be null.
  void begin(const LaunchRequest& request, Observer* beside);
  // Puts into the outcome what was found, and what follows for the launch's class.
  void end(LaunchOutcome& outcome);

  void block_started(const CoreView& core, const BlockView& block) override;
  void issuing(const CoreView& core, const WarpView& warp, const Issue& next) override;
  void issued(const CoreView& core, const WarpView& warp, const Issue& issue) override;
  std::span<const std::uint8_t> left_out() const override;
  void passed(const CoreView& core, const WarpView& warp, Pc first, Pc end, Mask active) override;
  void waited(const CoreView& core, const WarpView& warp, const Waited& waited) override;
  void stuck(const CoreView& core, const BlockView& block) override;
  void block_ended(const CoreView& core, const BlockView& block) override;

  void allocated(const Allocation& allocation) override;
  void freed(const Allocation& allocation) override;
  void written(std::uint64_t address, std::uint64_t bytes) override;

 private:
  DeviceMemory& memory_;
  bool races_;  // are looked for
  std::unique_ptr<Findings> findings_;
  std::vector<std::unique_ptr<Check>> checks_;
  Observer* beside_ = nullptr;  // another observer
  // Which checks look at an instruction: bit i is checks_[i].
  struct Interest {
    std::uint8_t before = 0, behind = 0;
  };
  void find_interests(const Module& module);
  std::string code_;  // whose instructions the following are of: its hash
  bool for_debugging_ = false;
  std::vector<Interest> interests_;     // by pc
  std::vector<std::uint8_t> left_out_;  // as left_out() says
  std::uint8_t followers_ = 0;          // bit i: checks_[i] is told of those
};

}  // namespace heddle::simulator::checks
