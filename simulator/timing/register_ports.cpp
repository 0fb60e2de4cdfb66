#include "simulator/timing/register_ports.hpp"

#include <bit>

namespace heddle::simulator::timing {

unsigned RegisterPorts::busy_from(const Bank& bank, Cycle time) {
  const Cycle passed = time - bank.since;
  return passed < 8 ? static_cast<unsigned>(bank.busy) >> passed : 0;
}

// The cycles, from `now` + 1 on, in which the bank delivers the sources; none if it cannot in time.
unsigned RegisterPorts::plan(const Bank& bank, unsigned sources, Cycle now) const {
  const unsigned busy = busy_from(bank, now + 1);
  unsigned cycles = 0;
  for (unsigned cycle = 0; cycle < kReadCycles && sources != 0; ++cycle) {
    if ((busy >> cycle & 1) != 0) continue;
    unsigned reads = 0;
    for (unsigned left = sources; left != 0 && reads < reads_per_cycle_; left &= left - 1) {
      const auto source = static_cast<unsigned>(std::countr_zero(left));
      if (bank.latch_free[source] > now + 1 + cycle) continue;
      sources &= ~(1u << source);
      cycles |= 1u << cycle;
      ++reads;
    }
  }
  return sources == 0 ? cycles : 0;
}

Cycle RegisterPorts::ready(const Reads& reads, Cycle now) const {
  for (;; ++now) {
    bool all = true;
    for (std::size_t i = 0; i < kBanks; ++i)
      all = all && (reads[i] == 0 || plan(banks_[i], reads[i], now) != 0);
    if (all) return now;
  }
}

// What is read at once moves on. Where a bank delivers a register later, the latches of what the
// instruction reads there are taken for as long as it has time to read.
void RegisterPorts::read(const Reads& reads, Cycle now) {
  const bool quiet = quiet_from_ <= now + 1;
  for (std::size_t i = 0; i < kBanks; ++i) {
    if (reads[i] == 0) continue;
    Bank& bank = banks_[i];
    if (quiet && std::has_single_bit(reads[i])) {  // mostly; `plan` finds the same
      bank.busy = 1;
      bank.since = now + 1;
      quiet_from_ = std::max(quiet_from_, now + 2);
      continue;
    }
    const unsigned cycles = plan(bank, reads[i], now);
    bank.busy = static_cast<std::uint8_t>(busy_from(bank, now + 1) | cycles);
    bank.since = now + 1;
    quiet_from_ = std::max(quiet_from_, now + 1 + std::bit_width(unsigned{bank.busy}));
    if (cycles <= 1) continue;
    for (unsigned left = reads[i]; left != 0; left &= left - 1)
      bank.latch_free[static_cast<unsigned>(std::countr_zero(left))] = now + 1 + kReadCycles;
    quiet_from_ = std::max(quiet_from_, now + 1 + kReadCycles);
  }
}

}  // namespace heddle::simulator::timing
