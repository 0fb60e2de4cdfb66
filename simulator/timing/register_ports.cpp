#include "simulator/timing/register_ports.hpp"

#include <bit>

namespace heddle::simulator::timing {
namespace {

static_assert(sizeof(RegisterPorts::Reads) == sizeof(std::uint32_t));

constexpr std::uint32_t kOfEachBank = 0x0101'0101;
constexpr unsigned kAllSources = (1u << RegisterPorts::kSources) - 1;

// Of each bank the first of the sources.
constexpr std::uint32_t first_sources(std::uint32_t sources) {
  return sources & ~(sources << 1 | sources << 2);
}

// All sources of the banks that have any of these.
constexpr std::uint32_t all_of_banks(std::uint32_t sources) {
  return ((sources | sources >> 1 | sources >> 2) & kOfEachBank) * kAllSources;
}

}  // namespace

// Which sources the banks deliver in each cycle, and which of them they cannot in time.
inline RegisterPorts::Sources RegisterPorts::plan(const Sources* taken, Sources reads,
                                                  Cycles& delivered) const {
  for (std::size_t cycle = 0; cycle < kReadCycles; ++cycle) {
    delivered[cycle] = 0;
    for (unsigned i = 0; i < reads_per_cycle_; ++i) {
      const Sources next = first_sources(reads & ~taken[cycle]);
      delivered[cycle] |= next;
      reads ^= next;
    }
  }
  return reads;
}

Cycle RegisterPorts::ready(const Reads& reads, Cycle now) const {
  Cycles delivered;
  while (plan(taken_from(now + 1), std::bit_cast<Sources>(reads), delivered) != 0) ++now;
  return now;
}

// A bank that delivers a register in a cycle delivers no other one then. What is read at once moves
// on. Where a bank delivers a register later, the latches of what the instruction reads there are
// taken for as long as it has time to read.
void RegisterPorts::read(const Reads& reads, Cycle now) {
  const auto sources = std::bit_cast<Sources>(reads);
  const Sources* const before = taken_from(now + 1);
  Cycles delivered;
  plan(before, sources, delivered);
  const Sources latched = sources & all_of_banks(delivered[1] | delivered[2]);
  Cycles taken;
  for (std::size_t cycle = 0; cycle < kReadCycles; ++cycle)
    taken[cycle] = before[cycle] | all_of_banks(delivered[cycle]) | latched;
  std::copy(taken.begin(), taken.end(), taken_.begin());
  since_ = now + 1;
  quiet_from_ = since_ + (taken[2] != 0 ? 3 : taken[1] != 0 ? 2 : 1);
}

}  // namespace heddle::simulator::timing
