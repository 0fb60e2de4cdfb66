// What instructions occupy within a sub-core: its pipes, its register banks, and the queue of its
// special function unit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/program.hpp"

namespace heddle::simulator::timing {

class Pipes {
 public:
  explicit Pipes(const Constants& constants);

  // When the pipe takes another instruction.
  Cycle free_at(Pipe pipe) const { return free_at_[static_cast<std::size_t>(pipe)]; }
  // Cycles up to `now` in which it took none, but for those in which one was given to it.
  Cycle busy_cycles(Pipe pipe, Cycle now) const {
    return busy_[static_cast<std::size_t>(pipe)] - left(free_at(pipe), now);
  }
  // When the queue of the special function unit has room.
  Cycle special_room() const { return special_leaves_[special_next_]; }
  // When the special function unit begins the instruction that it was given last.
  Cycle special_began(const Timed& timed) const { return special_free_ - timed.interval; }
  // When the register banks let the instruction issue; `now`: they do.
  Cycle banks_ready(const Timed& timed, Cycle now) const {
    const std::uint32_t late =
        beyond_reading((backlog(now) & timed.banks_read) + timed.bank_cycles);
    if (late == 0) return now;
    const int bank = std::countr_zero(late) / kBankBits;
    const std::uint32_t end = (backlog(now) + timed.bank_cycles) >> bank * kBankBits & kBank;
    return now + end - kReadCycles;
  }
  // Whether they let any instruction issue that reads a bank for at most `most_cycles`.
  bool all_banks_ready(Cycle now, std::uint32_t most_cycles) const {
    return beyond_reading(backlog(now) + most_cycles * kEachBank) == 0;
  }
  // The instruction issues.
  void occupy(const Timed& timed, Cycle now) {
    occupy_pipe(timed.pipe, now, now + timed.interval);
    if (timed.course == Course::special) occupy_special(timed, now);
    if (!timed.reads_banks) return;
    backlog_ = backlog(now) + timed.bank_cycles;
    backlog_at_ = now;
  }

 private:
  // Of the register banks, in a byte each: cycles for which they are busy. Never many: nothing
  // issues that would have to wait for more than it has time to read.
  static constexpr int kBankBits = 8;
  static constexpr std::uint32_t kBank = 0xff, kEachBank = 0x0101'0101,
                                 kHighBits = kEachBank << (kBankBits - 1);
  // A fixed-latency instruction reads its registers in the three cycles after it issued.
  static constexpr std::uint32_t kReadCycles = 3;

  // The high bit of each bank that is busy for longer.
  static std::uint32_t beyond_reading(std::uint32_t banks) {
    constexpr std::uint32_t kToHighBit = (1u << (kBankBits - 1)) - 1 - kReadCycles;
    return (banks + kToHighBit * kEachBank) & kHighBits;
  }
  std::uint32_t backlog(Cycle now) const {
    const Cycle passed = now - backlog_at_;
    if (passed > kBank / 2) return 0;
    const std::uint32_t left =
        (backlog_ | kHighBits) - static_cast<std::uint32_t>(passed) * kEachBank;
    const std::uint32_t busy = left & kHighBits;  // the others would be below zero
    return left & (busy - (busy >> (kBankBits - 1)));
  }
  static Cycle left(Cycle until, Cycle now) { return until > now ? until - now : 0; }
  void keep_busy(Pipe pipe, Cycle now, Cycle until) {
    const auto i = static_cast<std::size_t>(pipe);
    busy_[i] += left(until, now + 1) - left(free_at_[i], now + 1);
    free_at_[i] = until;
  }
  void occupy_pipe(Pipe pipe, Cycle now, Cycle until) {
    switch (pipe) {
      case Pipe::none:
        return;
      case Pipe::fma:  // what either half can do leaves the heavy one to integer multiplication
        keep_busy(free_at(Pipe::fma_lite) <= now ? Pipe::fma_lite : Pipe::fma_heavy, now, until);
        break;
      case Pipe::half:
        keep_busy(Pipe::fma_heavy, now, until);
        keep_busy(Pipe::fma_lite, now, until);
        break;
      default:
        keep_busy(pipe, now, until);
        if (pipe != Pipe::fma_heavy && pipe != Pipe::fma_lite) return;
    }
    const Cycle heavy = free_at(Pipe::fma_heavy), lite = free_at(Pipe::fma_lite);
    keep_busy(Pipe::fma, now, std::min(heavy, lite));
    keep_busy(Pipe::half, now, std::max(heavy, lite));
  }
  void occupy_special(const Timed& timed, Cycle now);

  const Constants& constants_;
  std::array<Cycle, kPipes> free_at_{};
  std::array<Cycle, kPipes> busy_{};  // cycles, those ahead included
  std::uint32_t backlog_ = 0;         // of the banks, at that time
  Cycle backlog_at_ = 0;
  Cycle special_free_ = 0;
  std::vector<Cycle> special_leaves_;  // of the last instructions to the special function unit
  std::size_t special_next_ = 0;       // the one that went longest ago
};

}  // namespace heddle::simulator::timing
