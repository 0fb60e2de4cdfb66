// What one instruction changes: registers and predicates of its warp, memory, and which lanes go on
// together. Taken before it executes, told afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/launch/observer.hpp"
#include "traces/analysis/listing.hpp"

namespace heddle::traces {

using simulator::Mask;

// Registers and predicates by their indices in simulator::WarpState.
std::string register_name(unsigned row);     // "R3", "UR4"
std::string predicate_name(unsigned index);  // "P0", "UP1"
bool is_register(unsigned row);              // not where discarded values go
inline constexpr unsigned kMostWrittenRows = 4;

struct Changes {
  Mask lanes{};                      // that executed it
  std::vector<unsigned> rows;        // registers written, whether or not their values differ
  std::vector<unsigned> predicates;  // written
  std::vector<unsigned>
      barriers;  // convergence barriers whose lanes are others now, but for those that ended
  Mask ended{};  // lanes that ended
  bool diverged = false;     // the lanes that executed it go on in several groups
  bool reconverged = false;  // lanes of several groups go on together
};

class ChangeWatch {
 public:
  void before(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& next);
  Changes after(const simulator::CoreView& core, const simulator::WarpView& warp,
                const simulator::Issue& issue) const;

 private:
  std::array<std::uint32_t, kMostWrittenRows * simulator::kWarpSize> rows_{};
  std::array<Mask, 17> predicates_{};
  std::array<Mask, simulator::kConvergenceBarriers> barriers_{};
  simulator::Groups groups_;
  Mask live_;
};

// One line, empty when nothing changed: "R2=0x0+0x1*lane; P0=0-15; splits: 0-15 -> 01a0, 16-31 ->
// 0120". `most`: values listed per register where lanes differ.
std::string changes_text(const Changes& changes, const simulator::CoreView& core,
                         const simulator::WarpView& warp, const simulator::Issue& issue,
                         Listing& listing, unsigned most);

}  // namespace heddle::traces
