// --check memory: accesses outside what is allocated, misaligned, or to memory freed before. All
// the lanes that do it are told, before the fault ends the launch.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "simulator/checks/check.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator::checks {

class MemoryCheck : public Check {
 public:
  using Check::Check;
  void begin(const LaunchRequest& request) override;
  void end(const LaunchOutcome& outcome) override;
  void issuing(const Core& core, const Warp& warp, const Issue& next) override;
  void freed(const Allocation& allocation) override;

 private:
  struct Wrong {
    Mask misaligned = 0, outside = 0, freed = 0;
  };
  Wrong wrong_lanes(const Core& core, const Warp& warp, const Step& step, Mask on,
                    const Addresses& address);
  bool lies_outside(const Core& core, const Warp& warp, unsigned lane, std::uint64_t address,
                    std::uint32_t width, Window space);
  void report(const Core& core, const Warp& warp, const Issue& next, const char* kind, Mask lanes,
              const Addresses& address);
  const Allocation* freed_at(std::uint64_t address) const;
  std::string details(const Core& core, std::uint64_t address, Window space) const;

  std::map<std::uint64_t, Allocation> freed_;  // by address; none is given out again
  Allocation last_;                            // that an access lay in
  bool reported_ = false;                      // in this launch
};

}  // namespace heddle::simulator::checks
