#include "simulator/timing/register_ports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>

namespace heddle::simulator::timing {
namespace {

using Reads = RegisterPorts::Reads;

constexpr unsigned kReadCycles = 3;

// The rules bank by bank and source by source.
class OneByOne {
 public:
  explicit OneByOne(unsigned reads_per_cycle) : reads_per_cycle_(reads_per_cycle) {}

  Cycle ready(const Reads& reads, Cycle now) const {
    while (!std::ranges::all_of(std::array{0u, 1u, 2u, 3u}, [&](unsigned bank) {
      return plan(bank, reads[bank], now + 1).left == 0;
    }))
      ++now;
    return now;
  }
  void read(const Reads& reads, Cycle now) {
    for (unsigned bank = 0; bank < reads.size(); ++bank) {
      const Plan plan = this->plan(bank, reads[bank], now + 1);
      for (unsigned cycle = 0; cycle < kReadCycles; ++cycle)
        if (plan.used[cycle]) busy_[bank][(now + 1 + cycle) % kKept] = now + 1 + cycle;
      if (!plan.used[1] && !plan.used[2]) continue;
      for (unsigned source = 0; source < RegisterPorts::kSources; ++source)
        if ((reads[bank] >> source & 1) != 0) latch_free_[bank][source] = now + 1 + kReadCycles;
    }
  }

 private:
  static constexpr std::size_t kKept = 8;
  struct Plan {
    std::array<bool, kReadCycles> used{};
    unsigned left = 0;
  };
  Plan plan(unsigned bank, unsigned sources, Cycle first) const {
    Plan plan{.left = sources};
    for (unsigned cycle = 0; cycle < kReadCycles; ++cycle) {
      const Cycle time = first + cycle;
      if (busy_[bank][time % kKept] == time) continue;
      unsigned delivered = 0;
      for (unsigned source = 0; source < RegisterPorts::kSources; ++source) {
        if ((plan.left >> source & 1) == 0 || delivered == reads_per_cycle_) continue;
        if (latch_free_[bank][source] > time) continue;
        plan.left &= ~(1u << source);
        plan.used[cycle] = true;
        ++delivered;
      }
    }
    return plan;
  }

  unsigned reads_per_cycle_;
  std::array<std::array<Cycle, kKept>, RegisterPorts::kBanks> busy_{};
  std::array<std::array<Cycle, RegisterPorts::kSources>, RegisterPorts::kBanks> latch_free_{};
};

Reads some_reads(std::mt19937_64& random) {
  Reads reads{};
  for (std::uint8_t& bank : reads)
    bank = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 8 : 1u << random() % 3);
  return reads;
}

TEST(RegisterPorts, DeliverAsTheBanksDoOneByOne) {
  std::mt19937_64 random(1);
  for (const unsigned reads_per_cycle : {1u, 2u, 3u}) {
    RegisterPorts ports(reads_per_cycle);
    OneByOne expected(reads_per_cycle);
    for (Cycle now = 1; now < 10'000; now += 1 + random() % 3) {
      const Reads reads = some_reads(random);
      const Cycle ready = expected.ready(reads, now);
      ASSERT_EQ(ports.ready(reads, now), ready) << now;
      now = ready;
      ports.read(reads, now);
      expected.read(reads, now);
    }
  }
}

TEST(RegisterPorts, AreFoundQuietBehindWhatReadsThemOnce) {
  std::mt19937_64 random(1);
  RegisterPorts known(1), quick(1);
  for (Cycle now = 0; now < 10'000; now += 1 + random() % 3) {
    const Reads reads = some_reads(random);
    const bool once =
        std::ranges::all_of(reads, [](std::uint8_t bank) { return std::popcount(bank) <= 1; });
    ASSERT_EQ(known.ready(reads, now), quick.ready(reads, now)) << now;
    ASSERT_EQ(known.all_ready(now, 2), quick.all_ready(now, 2)) << now;
    now = known.ready(reads, now);
    known.read(reads, now);
    if (!once || !quick.is_quiet(now)) quick.read(reads, now);
  }
}

}  // namespace
}  // namespace heddle::simulator::timing
