// Block barriers: BAR and B2R.
//
// Threads arrive, but a barrier counts warps: a warp has arrived when all its living threads have,
// and then counts as 32 (PTX, barrier: "the arrival count is incremented by the warp size"). Exited
// threads are not waited for.
#include <bit>

#include "isa/encoding.hpp"
#include "simulator/execute/block_barrier.hpp"
#include "simulator/execute/cluster.hpp"
#include "simulator/execute/machine.hpp"

namespace heddle::simulator {

using isa::Mod;
using isa::Op;

namespace {

// Which operands are in registers; one for both holds count << 16 | number
// (docs/hardware/memory.md).
enum class InRegisters : std::uint8_t { none, number, count, both };

// Step::param of a BAR.
enum BarrierParameter : std::uint8_t { kNumber, kCount, kInRegisters, kReduction };

void lower_barrier_operands(const isa::Instruction& in, Step& step) {
  const bool number = in.b.kind == isa::Source::Kind::reg,
             count = in.c.kind == isa::Source::Kind::reg,
             has_count = isa::find_modifier(*in.encoding, Mod::bar_count) != nullptr;
  const InRegisters which = count       ? InRegisters::count
                            : !number   ? InRegisters::none
                            : has_count ? InRegisters::number
                                        : InRegisters::both;
  step.param = {in.mod(Mod::bar_id) & 15, in.mod(Mod::bar_count), static_cast<std::uint32_t>(which),
                in.mod(Mod::bar_op)};
}

}  // namespace

BarrierRequest barrier_request(const Warp& warp, const Step& step, Mask on) {
  const auto lane = on.first();
  BarrierRequest request{step.param[kNumber], step.param[kCount]};
  switch (static_cast<InRegisters>(step.param[kInRegisters])) {
    case InRegisters::none:
      break;
    case InRegisters::number:
      request.number = source_row(warp, step.b)[lane] & 15;
      break;
    case InRegisters::count:
      request.threads = source_row(warp, step.c)[lane] & 0xfff;
      break;
    case InRegisters::both: {
      const std::uint32_t value = source_row(warp, step.b)[lane];
      request.number = value & 15;
      request.threads = value >> 16 & 0xfff;
    }
  }
  return request;
}

namespace {

bool is_complete(const Block& block, unsigned number) {
  const BlockBarrier& barrier = block.barriers[number];
  const bool for_all = barrier.expected == 0;
  std::uint32_t arrived = barrier.arrived_only;
  // The last ones arrive last.
  for (auto warp = block.warps.rbegin(); warp != block.warps.rend(); ++warp) {
    const Mask live = warp->convergence->live();
    if (live.empty()) continue;
    if (warp->convergence->waiting_at_block_barrier(number) == live)
      arrived += kWarpSize;
    else if (for_all)
      return false;
  }
  return for_all || arrived >= barrier.expected;
}

// .POPC leaves the count of threads whose predicate held, .AND and .OR their answer in every bit
// (docs/experiments/instruction-probe.md, "Forms that no compiler emits").
Block::BarrierResult reduced(const BlockBarrier& barrier) {
  const bool holds = barrier.reduction == BarrierReduction::all ? barrier.holding == barrier.threads
                                                                : barrier.holding != 0;
  if (barrier.reduction == BarrierReduction::count) return {barrier.holding, holds};
  return {holds ? ~std::uint32_t{0} : 0, holds};
}

void complete(Block& block, unsigned number) {
  BlockBarrier& barrier = block.barriers[number];
  for (Warp& warp : block.warps) {
    if (warp.convergence->waiting_at_block_barrier(number).empty()) continue;
    if (barrier.reducing) block.results[warp.index] = reduced(barrier);
    warp.convergence->release_block_barrier(number);
  }
  barrier = {};
  block.awaited_barriers &= ~(std::uint32_t{1} << number);
  ++block.barriers_completed;
}

Flow execute_bar(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const auto mode = static_cast<BarrierMode>(step.selector);
  const BarrierRequest request = barrier_request(warp, step, on);
  Block& block = *warp.block;
  BlockBarrier& barrier = block.barriers[request.number];
  barrier.expected = request.threads;
  if (mode == BarrierMode::reduce) {
    const Mask values = warp.predicate(step.pp);
    barrier.reducing = true;
    barrier.reduction = static_cast<BarrierReduction>(step.param[kReduction]);
    barrier.threads += on.count();
    barrier.holding += (values & on).count();
  }
  if (mode == BarrierMode::arrive) {
    barrier.arrived_only += kWarpSize;
    if (is_complete(block, request.number)) complete(block, request.number);
    return Flow::next;
  }
  warp.convergence->wait_at_block_barrier(request.number);
  block.awaited_barriers |= std::uint32_t{1} << request.number;
  if (is_complete(block, request.number)) {
    complete(block, request.number);
    if (block.warps.size() > 1) core.issue_limit = core.issued;  // the others' turn
  }
  return Flow::reschedule;
}

// B2R.RESULT: what the last BAR.RED gave, a word and a predicate.
Flow execute_b2r_result(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const Block::BarrierResult& result = warp.block->results[warp.index];
  std::uint32_t* destination = destination_row(warp, step.d);
  for (const unsigned lane : on) destination[lane] = result.word;
  warp.set_predicate(step.pu, result.holds ? kFullMask : Mask(), on);
  return Flow::next;
}

}  // namespace

void check_block_barriers(Block& block) {
  for (std::uint32_t left = block.awaited_barriers; left != 0; left &= left - 1) {
    const auto number = static_cast<unsigned>(std::countr_zero(left));
    if (is_complete(block, number)) complete(block, number);
  }
  if (block.at_cluster_barrier) check_cluster_barrier(block);
}

Execute lower_block_barrier(const isa::Instruction& in, Step& step) {
  constexpr std::uint32_t kResult = 1;
  if (in.op == Op::B2R) return in.mod(Mod::b2r_mode) == kResult ? execute_b2r_result : nullptr;
  if (in.op != Op::BAR) return nullptr;
  lower_barrier_operands(in, step);
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::bar_mode));
  const auto mode = static_cast<BarrierMode>(step.selector);
  return mode == BarrierMode::scan ? nullptr : execute_bar;
}

}  // namespace heddle::simulator
