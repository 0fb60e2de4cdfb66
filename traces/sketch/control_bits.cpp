#include "traces/sketch/control_bits.hpp"

#include <algorithm>
#include <array>

#include "isa/attributes.hpp"

namespace heddle::isa::sketch {
namespace {

constexpr std::uint8_t kNone = 7;
constexpr std::uint8_t kScoreboards = 6;
constexpr std::uint8_t kAll = (1 << kScoreboards) - 1;
// Cycles until a result of the fixed-latency pipes may be read, and until a predicate of theirs may
// guard an instruction: 4 to 6, and 13 (simulator/checks/hazard_latencies.hpp).
constexpr std::uint8_t kFixedStall = 6;
constexpr unsigned kGuardLatency = 13;
constexpr std::uint8_t kBranchStall = 5;
constexpr std::uint8_t kIssueStall = 2;  // what is tracked by a scoreboard

bool is_variable(const Instruction& instruction) {
  switch (unit(instruction)) {
    case Unit::lsu:
    case Unit::adu:
    case Unit::xu:
    case Unit::fp64:
    case Unit::tex:
      return true;
    default:
      return false;
  }
}

bool is_control(const Instruction& instruction) { return unit(instruction) == Unit::cbu; }

class Scoreboards {
 public:
  // What `in` must wait for before it issues.
  std::uint8_t waits(const Instruction& in) const {
    std::uint8_t mask = 0;
    for (const Source* source : {&in.a, &in.b, &in.c})
      if (source->kind == Source::Kind::reg && source->index != kRZ)
        for (unsigned i = 0; i < 2 && source->index + i < kRZ; ++i)
          mask |= pending_write_[source->index + i];
    if (in.rd != kRZ)
      for (unsigned i = 0; i < 2 && in.rd + i < kRZ; ++i)
        mask =
            static_cast<std::uint8_t>(mask | pending_write_[in.rd + i] | pending_read_[in.rd + i]);
    for (const Predicate& each : {in.guard, in.pp, in.pq, in.pr})
      mask |= pending_predicate_[each.index];
    for (const std::uint8_t each : {in.pu, in.pv}) mask |= pending_predicate_[each];
    return mask;
  }

  void settle(std::uint8_t mask) {
    for (auto* all : {&pending_write_, &pending_read_})
      for (std::uint8_t& each : *all) each &= static_cast<std::uint8_t>(~mask);
    for (std::uint8_t& each : pending_predicate_) each &= static_cast<std::uint8_t>(~mask);
  }

  void issue(Instruction& in) {
    const bool writes = in.rd != kRZ || in.pu != kPT;
    const std::uint8_t board = next_;
    next_ = static_cast<std::uint8_t>((next_ + 1) % kScoreboards);
    const auto bit = static_cast<std::uint8_t>(1 << board);
    (writes ? in.control.write_barrier : in.control.read_barrier) = board;
    if (in.rd != kRZ)
      for (unsigned i = 0; i < 2 && in.rd + i < kRZ; ++i) pending_write_[in.rd + i] |= bit;
    if (in.pu != kPT) pending_predicate_[in.pu] |= bit;
    if (!writes)
      for (const Source* source : {&in.a, &in.b, &in.c})
        if (source->kind == Source::Kind::reg && source->index != kRZ)
          for (unsigned i = 0; i < 2 && source->index + i < kRZ; ++i)
            pending_read_[source->index + i] |= bit;
  }

 private:
  std::array<std::uint8_t, 256> pending_write_{}, pending_read_{};
  std::array<std::uint8_t, 8> pending_predicate_{};
  std::uint8_t next_ = 0;
};

// When predicates that fixed-latency instructions computed may guard, along straight code.
class Guards {
 public:
  // How much later `in` has to issue for its guard. Where code goes elsewhere, or comes from there,
  // for every predicate: who reads it next is not known here.
  unsigned missing(const Instruction& in, bool all) const {
    unsigned ready = ready_[in.guard.index];
    if (all) ready = *std::ranges::max_element(ready_);
    return ready > now_ ? ready - now_ : 0;
  }
  void pass(unsigned cycles) { now_ += cycles; }
  void issue(const Instruction& in) {
    for (const std::uint8_t predicate : {in.pu, in.pv})
      if (predicate != kPT) ready_[predicate] = now_ + kGuardLatency;
  }

 private:
  std::array<unsigned, 8> ready_{};
  unsigned now_ = 0;
};

std::vector<bool> branch_targets(const std::vector<Instruction>& instructions) {
  std::vector<bool> targets(instructions.size() + 1);
  for (std::size_t i = 0; i < instructions.size(); ++i)
    if (effect(instructions[i]) == Effect::branch)
      targets[static_cast<std::size_t>(static_cast<std::int64_t>(i) + 1 +
                                       instructions[i].offset / 16)] = true;
  return targets;
}

}  // namespace

void set_control_bits(std::vector<Instruction>& instructions) {
  const std::vector<bool> targets = branch_targets(instructions);
  Scoreboards scoreboards;
  Guards guards;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    Instruction& in = instructions[i];
    in.control = {};
    const bool elsewhere = is_control(in) || targets[i];
    const bool all = elsewhere || in.op == Op::BAR;
    if (const unsigned missing = guards.missing(in, elsewhere); missing != 0) {
      Control& before = instructions[i - 1].control;
      before.stall = static_cast<std::uint8_t>(before.stall + missing);
      guards.pass(missing);
    }
    in.control.wait_mask = all ? kAll : scoreboards.waits(in);
    scoreboards.settle(in.control.wait_mask);
    in.control.write_barrier = in.control.read_barrier = kNone;
    if (is_variable(in) && in.op != Op::BAR) scoreboards.issue(in);
    in.control.stall = is_control(in) ? kBranchStall : is_variable(in) ? kIssueStall : kFixedStall;
    if (!is_variable(in) && !is_control(in)) guards.issue(in);
    guards.pass(in.control.stall);
  }
}

}  // namespace heddle::isa::sketch
