// The register banks of a sub-core. A bank delivers a register a cycle, and a fixed-latency
// instruction reads its registers in the three cycles after it issued (ports.* of
// gpu/kernels/micro/timing/ports.cu).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class RegisterPorts {
 public:
  static constexpr std::size_t kBanks = 4, kSources = 3;
  // Bit i of each bank: the instruction reads its source i there.
  using Reads = std::array<std::uint8_t, kBanks>;

  // Registers that a bank delivers in a cycle.
  explicit RegisterPorts(unsigned reads_per_cycle) : reads_per_cycle_(reads_per_cycle) {}

  // When an instruction that could issue at `now` gets its registers in time.
  Cycle ready(const Reads& reads, Cycle now) const;
  // Whether any does that reads `most` registers of a bank at the most.
  bool all_ready(Cycle now, unsigned most) const {
    return std::max(quiet_from_, now + 1) + most <= now + 1 + kReadCycles;
  }
  // The instruction issues.
  void read(const Reads& reads, Cycle now);
  // No port is busy, and no latch, when what issues at `now` reads. What then reads one register of
  // a bank at most leaves no trace: who issues in a later cycle finds them quiet again.
  bool is_quiet(Cycle now) const { return quiet_from_ <= now + 1; }

 private:
  static constexpr std::size_t kReadCycles = 3;
  // As Reads, a byte for each bank: all banks are looked at together.
  using Sources = std::uint32_t;
  using Cycles = std::array<Sources, kReadCycles>;
  // In each of the cycles from `time` on the sources that a bank cannot deliver.
  const Sources* taken_from(Cycle time) const {
    return &taken_[std::min<Cycle>(time - since_, kReadCycles)];
  }
  Sources plan(const Sources* taken, Sources reads, Cycles& delivered) const;

  unsigned reads_per_cycle_;
  Cycle since_ = 0;       // the cycle of the first of `taken_`; the last ones are always 0
  Cycle quiet_from_ = 0;  // nothing is taken then
  std::array<Sources, 2 * kReadCycles> taken_{};
};

}  // namespace heddle::simulator::timing
