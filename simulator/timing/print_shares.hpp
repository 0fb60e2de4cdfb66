// What a warp does in the driver's code of printf, by stall reason.
#pragma once

#include <cstdint>

namespace heddle::simulator::timing {

// Thousandths of its time. The test Calibration.SharesOfPrintfAreWhatTheRecordGives computes each
// from the H200's answers to gpu/kernels/micro/timing/cold_prints.cu.
struct PrintShares {
  std::uint16_t wait, selected, no_instruction, long_scoreboard, short_scoreboard, membar,
      branch_resolving;
};

inline constexpr PrintShares kOfCall{435, 168, 29, 143, 73, 123, 29};  // with its numbers
inline constexpr PrintShares kOfCharacters{344, 93, 2, 245, 298, 0, 18};
inline constexpr PrintShares kOfLanes{277, 70, 0, 372, 107, 134, 40};
// While it waits for others that print: what four lanes take of their turn, and what more do.
inline constexpr PrintShares kOfFewLanesTurns{0, 0, 0, 470, 1, 529, 0};
inline constexpr PrintShares kOfMoreLanesTurns{1, 0, 19, 687, 0, 293, 0};

}  // namespace heddle::simulator::timing
