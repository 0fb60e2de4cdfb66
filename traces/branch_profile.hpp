// What a launch's branches, loops and accesses did, thread by thread: what a sketch is derived
// from.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "isa/control_flow.hpp"
#include "simulator/machine.hpp"
#include "simulator/observer.hpp"

namespace heddle::traces {

// One execution of a conditional branch or a conditional EXIT by a warp.
struct BranchEvent {
  std::uint32_t block = 0, warp = 0;
  simulator::Mask active = 0, taken = 0;
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
  // `program` and the range that is looked at outlive this.
  BranchProfile(const isa::Program& program, const isa::CodeRange& range);

  void issuing(const simulator::Core& core, const simulator::Warp& warp,
               const simulator::Issue& next) override;
  void issued(const simulator::Core& core, const simulator::Warp& warp,
              const simulator::Issue& issue) override;

  const std::vector<BranchEvent>& events(std::uint64_t address) const;
  const AccessProfile* accesses(std::uint64_t address) const;
  // Events beyond this many are not kept: the first blocks speak for all.
  static constexpr std::uint64_t kMostEvents = 300'000;
  bool complete() const { return complete_; }

 private:
  const isa::Program& program_;
  std::uint64_t first_ = 0, end_ = 0;
  std::map<std::uint64_t, std::vector<BranchEvent>> events_;
  std::map<std::uint64_t, AccessProfile> accesses_;
  std::uint64_t kept_ = 0;
  bool complete_ = true;
};

}  // namespace heddle::traces
