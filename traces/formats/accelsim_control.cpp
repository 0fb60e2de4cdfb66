// The control bits of code that a trace does not have: each instruction waits for its registers,
// and no longer (docs/timing.md says how well that does).
#include <algorithm>
#include <array>

#include "isa/attributes.hpp"
#include "isa/operands.hpp"
#include "traces/formats/accelsim_code.hpp"

namespace heddle::traces {
namespace {

using isa::Instruction;
using isa::Unit;

constexpr std::uint8_t kNoBoard = 7;
constexpr unsigned kBoards = 6, kLongestStall = 15;

bool is_variable(const Instruction& in) {
  switch (isa::unit(in)) {
    case Unit::lsu:
    case Unit::adu:
    case Unit::xu:
    case Unit::tex:
      return isa::effect(in) != isa::Effect::block_barrier;
    case Unit::fp64:
      return !isa::traits(in.arch).fp64_is_fixed;
    default:
      return false;
  }
}

// Cycles until a result of a fixed-latency unit can be read by another one
// (docs/hardware/latencies.md).
unsigned latency(const Instruction& in) {
  switch (isa::unit(in)) {
    case Unit::fp64:
      return 8;
    case Unit::fp16:
      return 6;
    case Unit::tensor:
      return 24;
    case Unit::uniform:
      return 6;
    default:
      return 5;
  }
}

// Comparisons and the like: what has no other result. (FCHK sets a scoreboard.)
bool sets_predicate(const Instruction& in) {
  const Unit unit = isa::unit(in);
  if (unit == Unit::uniform || unit == Unit::xu || isa::operand_widths(in).destination != 0)
    return false;
  const isa::Operands uses = isa::operands(in);
  return std::ranges::any_of(uses, [](const isa::OperandUse& use) {
    return use.is_written && use.file == isa::RegisterFile::predicate;
  });
}

bool has_guard_register(const Instruction& in) { return in.guard.index != isa::kPT; }

// Calls f(register) for those the instruction reads.
template <typename F>
void for_each_source(const Instruction& in, F&& f) {
  for (const isa::Source* source : {&in.a, &in.b, &in.c})
    if (source->kind == isa::Source::Kind::reg && source->index != isa::kRZ) f(source->index);
}

class Waits {
 public:
  Waits(const std::vector<Instruction>& instructions) {
    std::uint8_t next = 0;
    for (const Instruction& in : instructions) {
      boards_.push_back(kNoBoard);
      if (!is_variable(in)) continue;
      boards_.back() = next;
      if (in.rd != isa::kRZ) last_[in.rd] = static_cast<std::uint8_t>(1u << next);
      next = static_cast<std::uint8_t>((next + 1) % kBoards);
    }
  }
  std::uint8_t board(std::size_t i) const { return boards_[i]; }
  // Control comes from elsewhere: any result may be outstanding.
  void join() { pending_ = last_; }
  std::uint8_t take(const Instruction& in) {
    std::uint8_t mask = 0;
    for_each_source(in, [&](std::uint8_t reg) { mask |= pending_[reg]; });
    if (in.rd != isa::kRZ) mask |= pending_[in.rd];
    for (std::uint8_t& each : pending_) each &= static_cast<std::uint8_t>(~mask);
    return mask;
  }
  void issue(const Instruction& in, std::size_t i) {
    if (in.rd != isa::kRZ) pending_[in.rd] = static_cast<std::uint8_t>(1u << boards_[i]);
  }

 private:
  std::vector<std::uint8_t> boards_;  // of each instruction
  // By register: the scoreboards that guard its writer; those of the last writer of all.
  std::array<std::uint8_t, 256> pending_{}, last_{};
};

}  // namespace

void set_likely_control_bits(std::vector<Instruction>& instructions,
                             const std::vector<bool>& joins) {
  constexpr unsigned kGuardLatency = 13, kBranchStall = 5;
  Waits waits(instructions);
  std::array<unsigned, 256> ready{};
  unsigned guard_ready = 0, time = 0, least = 1;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    Instruction& in = instructions[i];
    in.control = {};
    if (joins[i]) waits.join();
    unsigned begin = time + (i == 0 ? 0 : least);
    for_each_source(in, [&](std::uint8_t reg) { begin = std::max(begin, ready[reg]); });
    if (has_guard_register(in)) begin = std::max(begin, guard_ready);
    if (i != 0) {
      const unsigned stall = std::min(begin - time, kLongestStall);
      instructions[i - 1].control.stall = static_cast<std::uint8_t>(stall);
      // Without the hint to yield a stall of one may be used at once; a long one needs the hint.
      instructions[i - 1].control.stay = stall < 12;
      begin = time + stall;
    }
    time = begin;
    in.control.wait_mask = waits.take(in);
    in.control.read_barrier = in.control.write_barrier = kNoBoard;
    if (is_variable(in)) {
      (in.rd != isa::kRZ ? in.control.write_barrier : in.control.read_barrier) = waits.board(i);
      waits.issue(in, i);
    } else if (in.rd != isa::kRZ) {
      ready[in.rd] = time + latency(in);
    }
    if (sets_predicate(in)) guard_ready = time + kGuardLatency;
    const bool flows = isa::unit(in) == Unit::cbu || isa::effect(in) == isa::Effect::block_barrier;
    least = flows ? kBranchStall : is_variable(in) ? 2 : 1;
  }
  if (!instructions.empty()) instructions.back().control.stall = kBranchStall;
}

}  // namespace heddle::traces
