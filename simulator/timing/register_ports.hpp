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
  // No port is busy, and no latch, when what issues at `now` reads.
  bool is_quiet(Cycle now) const { return quiet_from_ <= now + 1; }
  // As `read` does of an instruction that reads one register of a bank at most, while the ports are
  // quiet: who issues in a later cycle finds them quiet again.
  void read_once(Cycle now) { quiet_from_ = now + 2; }

 private:
  static constexpr Cycle kReadCycles = 3;
  struct Bank {
    std::uint8_t busy = 0;  // bit i: in cycle `since` + i
    Cycle since = 0;
    // When the latch of each source takes another register.
    std::array<Cycle, kSources> latch_free{};
  };
  static unsigned busy_from(const Bank& bank, Cycle time);
  unsigned plan(const Bank& bank, unsigned sources, Cycle now) const;

  unsigned reads_per_cycle_;
  std::array<Bank, kBanks> banks_;
  Cycle quiet_from_ = 0;  // no port is busy then, and no latch
};

}  // namespace heddle::simulator::timing
