#include "traces/formats/accelsim_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "simulator/execute/block_barrier.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/address_space.hpp"

namespace heddle::traces {
namespace {

using isa::Effect;
using isa::Instruction;
using isa::Op;
using simulator::AccessKind;
using simulator::Addresses;
using simulator::Block;
using simulator::Core;
using simulator::Flow;
using simulator::Issue;
using simulator::Mask;
using simulator::Pc;
using simulator::Step;
using simulator::Warp;
using simulator::Window;

bool is_guarded(const Instruction& in) { return in.guard.index != isa::kPT || in.guard.negated; }

// Whether other lanes may execute after it, or at another place.
bool may_change_course(const Instruction& in) {
  return isa::unit(in) == isa::Unit::cbu || isa::effect(in) == Effect::block_barrier;
}

bool is_jump(const Instruction& in) {
  const Effect effect = isa::effect(in);
  return effect == Effect::branch || effect == Effect::indirect_branch || effect == Effect::call ||
         effect == Effect::ret;
}

bool arrives_only(const Step& step) {
  return step.selector == static_cast<std::uint8_t>(simulator::BarrierMode::arrive);
}

// What the instruction did to its lanes, `active`, of which `on` had their guard hold, as
// Core::step would have it; `next` execute next.
Flow flow_of(const Instruction& in, Mask active, Mask on, Mask next, bool falls_through) {
  switch (isa::effect(in)) {
    case Effect::sync:
    case Effect::warp_sync:
    case Effect::leave_barrier:
    case Effect::end_collective:
    case Effect::exit:
    case Effect::block_barrier:
      return on.any() ? Flow::reschedule : Flow::next;
    default:
      if (!may_change_course(in)) return Flow::next;
      if (next != active) return Flow::reschedule;
      return falls_through ? Flow::next : Flow::jump;
  }
}

AccessKind kind_of(const Instruction& in, const Step& step, Window space) {
  switch (isa::memory_access(in).kind) {
    case isa::MemoryAccess::Kind::store:
      return AccessKind::store;
    case isa::MemoryAccess::Kind::reduction:
      return AccessKind::reduction;
    case isa::MemoryAccess::Kind::atomic:
      break;
    default:
      return AccessKind::load;
  }
  const bool swaps = isa::memory_access(in).of == isa::MemoryAccess::Of::swap;
  if (swaps && step.sign_extend && space == Window::shared) return AccessKind::cast_spin;
  if (swaps) return AccessKind::compare_and_swap;
  return in.op == Op::ATOMS_ARRIVE ? AccessKind::increment : AccessKind::atomic;
}

// Addresses side by side: of a part of an access that the trace does not tell.
Addresses side_by_side(unsigned width) {
  Addresses address{};
  for (unsigned lane = 0; lane < simulator::kWarpSize; ++lane)
    address[lane] = std::uint64_t{width} * lane;
  return address;
}

std::uint64_t linear(const simulator::Dim3& index, const simulator::Dim3& grid) {
  return index.x + std::uint64_t{grid.x} * (index.y + std::uint64_t{grid.y} * index.z);
}

}  // namespace

AccelsimInstructions::AccelsimInstructions(const AccelsimText& trace,
                                           const simulator::Module& module,
                                           const isa::Kernel& kernel, bool code_is_made)
    : trace_(trace), module_(module), checked_(module.program().instructions.size(), code_is_made) {
  const std::uint64_t entry = module.program().entry(kernel);
  entry_ = simulator::index_of_code_address(entry);
  if (const isa::CodeRange* range = module.program().range_at(entry)) code_bytes_ = range->size;
  const AccelsimKernel& traced = trace.kernel;
  const std::uint64_t warps =
      (traced.block.count() + simulator::kWarpSize - 1) / simulator::kWarpSize;
  for (const AccelsimBlock& block : traced.blocks) {
    if (block.index.x >= traced.grid.x || block.index.y >= traced.grid.y ||
        block.index.z >= traced.grid.z)
      fail(1, fmt::format("block {},{},{} is not in the grid", block.index.x, block.index.y,
                          block.index.z));
    std::vector<bool> seen(warps);
    for (const AccelsimWarp& warp : block.warps) {
      if (warp.warp >= warps) fail(warp.line, "a block has no such warp");
      if (seen[warp.warp]) fail(warp.line, "the warp stands there twice");
      seen[warp.warp] = true;
    }
    order_.push_back(&block);
  }
  if (order_.empty()) fail(1, "the trace holds no blocks");
  const auto number = [&](const AccelsimBlock* block) { return linear(block->index, traced.grid); };
  std::ranges::sort(order_, {}, number);
  if (const auto twice = std::ranges::adjacent_find(order_, {}, number); twice != order_.end())
    fail(1, fmt::format("block {},{},{} stands there twice", (*twice)->index.x, (*twice)->index.y,
                        (*twice)->index.z));
}

void AccelsimInstructions::fail(std::uint64_t line, const std::string& why) const {
  throw std::runtime_error(fmt::format("{}:{}: {}", trace_.origin, line, why));
}

const Instruction& AccelsimInstructions::instruction(const Record& record) const {
  return *module_.program().instructions[record.pc];
}

std::uint32_t AccelsimInstructions::index_of(const AccelsimInstruction& read, std::uint64_t line) {
  const auto& instructions = module_.program().instructions;
  constexpr std::uint64_t kBytes = sizeof(isa::Word);
  const std::uint64_t index = read.pc < code_bytes_ ? entry_ + read.pc / kBytes
                              : read.pc >= kAccelsimFunctions
                                  ? (read.pc - kAccelsimFunctions) / kBytes
                                  : instructions.size();
  if (read.pc % kBytes != 0 || index >= instructions.size() || !instructions[index])
    fail(line, fmt::format("pc {:04x} is not in {}", read.pc, module_.origin()));
  if (!checked_[index]) {
    const std::string opcode = isa::print_opcode(*instructions[index]);
    if (opcode != read.opcode)
      fail(line, fmt::format("{} at pc {:04x}, where {} has {}", read.opcode, read.pc,
                             module_.origin(), opcode));
    checked_[index] = true;
  }
  return static_cast<std::uint32_t>(index);
}

// Reads on until `count` instructions are known; false: fewer are left.
bool AccelsimInstructions::look_ahead(Position& at, std::size_t count) {
  while (at.ahead.size() < count) {
    Record record;
    if (!at.reader.next(record.read)) return false;
    record.line = ++at.line;
    record.pc = index_of(record.read, record.line);
    at.ahead.push_back(std::move(record));
  }
  return true;
}

void AccelsimInstructions::start_block(Core& core, Block& block, std::uint64_t linear) {
  core.start_block(block, linear);
  const AccelsimBlock& traced = *order_[linear];
  block.index = traced.index;
  std::vector<Position>& positions = positions_[&block];
  positions.clear();
  positions.reserve(block.warps.size());
  for (Warp& warp : block.warps) {
    const auto found = std::ranges::find(traced.warps, warp.index, &AccelsimWarp::warp);
    const AccelsimWarp none;
    const AccelsimWarp& text = found == traced.warps.end() ? none : *found;
    Position& at = positions.emplace_back(Position{
        .reader = {trace_.text, trace_.origin, trace_.kernel, text}, .line = text.line - 1});
    if (!look_ahead(at, 1)) fail(text.line, "a warp without instructions");
    at.active = warp.convergence->live();
    warp.convergence->current().pc = Pc(at.ahead.front().pc);
  }
}

// Which lanes are active at the next instruction, after `last` with `active` ones.
Mask AccelsimInstructions::active_next(Position& at, const Record& last, Mask active) {
  constexpr std::size_t kFar = 16;
  const Record& next = at.ahead.front();
  const bool falls_through = next.pc == last.pc + 1;
  const bool same = falls_through && !may_change_course(instruction(last));
  for (std::size_t i = 0; !same && i < kFar && look_ahead(at, i + 1); ++i) {
    const Record& record = at.ahead[i];
    if (i != 0 && record.pc != at.ahead[i - 1].pc + 1) break;
    if (!is_guarded(instruction(record))) return record.read.lanes;
    if (may_change_course(instruction(record))) break;
  }
  const Mask on = last.read.lanes;
  Mask found = active;
  if (!same && on.any()) found = falls_through && (active & ~on).any() ? active & ~on : on;
  return is_guarded(instruction(next)) ? found | next.read.lanes : next.read.lanes;
}

Addresses AccelsimInstructions::translated(const AccelsimInstruction& read) const {
  // A window of generic addresses is 16 MiB, or more on clusters, which the format does not have.
  constexpr std::uint64_t kWindow = 1 << 24;
  Addresses address = read.address;
  for (std::uint64_t& each : address) {
    if (each - trace_.kernel.shared_base < kWindow)
      each += simulator::kSharedWindow - trace_.kernel.shared_base;
    else if (each - trace_.kernel.local_base < kWindow)
      each += simulator::kLocalWindow - trace_.kernel.local_base;
  }
  return address;
}

void AccelsimInstructions::access(Core& core, const Record& record) {
  const Instruction& in = instruction(record);
  const Step& step = core.launch.program->steps[record.pc];
  const isa::MemoryAccess access = isa::memory_access(in);
  const Mask lanes = record.read.lanes;
  if (lanes.empty() || !access.by_threads()) return;
  const bool is_told = record.read.width != 0;
  if (!is_told && access.space != isa::Space::shared) return;
  const Addresses address = !is_told                              ? side_by_side(step.width)
                            : access.space == isa::Space::generic ? translated(record.read)
                                                                  : record.read.address;
  for (const unsigned lane : lanes) {
    if (step.width != 0 && address[lane] % step.width != 0)
      fail(record.line, fmt::format("an access of {} bytes at {:#x}", step.width, address[lane]));
  }
  const auto count = [&](Window space, Mask part) {
    simulator::count_access(core, step, kind_of(in, step, space), space, address, part,
                            simulator::pattern_of(address, part));
  };
  if (access.kind == isa::MemoryAccess::Kind::copy)
    return simulator::count_copy(core, step, address, side_by_side(step.width),
                                 {lanes, simulator::kFullMask, simulator::kFullMask});
  switch (access.space) {
    case isa::Space::global:
      return count(Window::global, lanes);
    case isa::Space::shared:
      return count(Window::shared, lanes);
    case isa::Space::local:
      return count(Window::local, lanes);
    case isa::Space::generic:
      for (const Window space : {Window::global, Window::shared, Window::local})
        if (const Mask part = simulator::lanes_in(space, address, lanes); part.any())
          count(space, part);
      return;
    default:
      return;
  }
}

// At a block barrier the warp waits once all its lanes have come; a guard does not split those that
// arrive together.
Flow AccelsimInstructions::arrive(Core& core, Warp& warp, const Record& record, Mask active,
                                  Position& at) {
  const Step& step = core.launch.program->steps[record.pc];
  const Mask on = record.read.lanes;
  if (on.empty()) return Flow::next;
  if (arrives_only(step)) return step.execute(core, warp, step, on, on);
  at.arrived |= active;
  const Mask live = warp.convergence->live();
  if ((live & ~at.arrived).any()) return Flow::reschedule;
  at.arrived = Mask();
  return step.execute(core, warp, step, live, live);
}

// Keeps whether BMOV wrote the barrier that BSYNC will wait at, which takes longer then. The format
// does not say which one BMOV writes: it is taken for all, as functions restore what they have
// used.
void note_barrier(const Instruction& in, simulator::Reconvergence& lanes) {
  if (isa::effect(in) == Effect::set_barrier) lanes.bmov_clear(in.barrier);
  if (!isa::writes_barrier(in)) return;
  for (unsigned i = 0; i < simulator::kConvergenceBarriers; ++i) lanes.bmov_write(i, Mask());
}

// As Barriers::choose: where a group waits or ends, the one that was set aside last goes on, once;
// others are searched for.
void AccelsimInstructions::note_search(const Instruction& in, const Issue& issue, Position& at,
                                       simulator::Reconvergence& lanes) {
  if (issue.flow != Flow::reschedule) return;
  if (is_jump(in))
    at.has_front = true;
  else if ((issue.active & at.active).empty() && !std::exchange(at.has_front, false))
    lanes.note_search();
}

Issue AccelsimInstructions::step(Core& core, Warp& warp) {
  Position& at = positions_.at(warp.block)[warp.index];
  const Record record = std::move(at.ahead.front());
  at.ahead.pop_front();
  const Instruction& in = instruction(record);
  simulator::Reconvergence& lanes = *warp.convergence;
  Issue issue;
  issue.pc = Pc(record.pc);
  issue.active = at.active | record.read.lanes;
  issue.on = record.read.lanes;
  simulator::Observer* const observer = core.launch.options->observer;
  if (observer != nullptr) observer->issuing(core, warp, issue);
  ++core.issued;
  simulator::InstructionCounts& counts = core.counts[record.pc];
  ++counts.executed;
  counts.threads += issue.active.count();
  counts.threads_on += issue.on.count();
  core.observed = true;
  core.accesses.clear();
  access(core, record);
  issue.accesses = core.accesses;
  if (issue.on.any()) note_barrier(in, lanes);

  lanes.current().lanes = lanes.live();
  if (!look_ahead(at, 1)) {
    lanes.exit(lanes.live());
    issue.flow = Flow::reschedule;
  } else {
    const Record& next = at.ahead.front();
    at.active = active_next(at, record, issue.active);
    issue.flow = flow_of(in, issue.active, issue.on, at.active, next.pc == record.pc + 1);
    lanes.current().pc = Pc(next.pc);
    note_search(in, issue, at, lanes);
    // Lanes whose second predicate keeps them from leaving stay.
    const bool leaves =
        isa::effect(in) == Effect::exit && in.pp.index == isa::kPT && !in.pp.negated;
    if (leaves && lanes.live().within(issue.on)) fail(record.line, "instructions behind the end");
    if (leaves && issue.on.any()) lanes.exit(issue.on & lanes.live());
    if (isa::effect(in) == Effect::block_barrier)
      issue.flow = arrive(core, warp, record, issue.active, at);
    if (lanes.has_current()) lanes.current().lanes = at.active & lanes.live();
  }
  if (isa::effect(in) == Effect::branch || isa::effect(in) == Effect::indirect_branch)
    ++(issue.flow == Flow::reschedule ? counts.branch_divergent : counts.branch_uniform);
  if (observer != nullptr) observer->issued(core, warp, issue);
  // Who sleeps while other lanes of the warp go on does not keep it.
  if (isa::effect(in) == Effect::sleep && issue.flow == Flow::reschedule) issue.on = Mask();
  return issue;
}

}  // namespace heddle::traces
