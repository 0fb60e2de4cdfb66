// A program described to those who make native code of it, and what that code calls.
#include "simulator/execute/native_program.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "simulator/execute/machine.hpp"
#include "simulator/native/region_compiler.hpp"
#include "simulator/native/runs.hpp"

namespace heddle::simulator {

native::KnownWord known_words(const LoweredProgram& program) {
  return [&program](RowOffset row) -> std::optional<std::uint32_t> {
    if (row >= 0) return std::nullopt;
    const std::size_t index = static_cast<std::size_t>(~row) / kWarpSize;
    if (index >= program.pool.size()) return std::nullopt;
    const PoolRow& found = program.pool[index];
    return found.is_constant ? std::nullopt : std::optional(found.value);
  };
}

namespace {

// As the core does, of an access that may end the warp's turn.
Flow execute_ordered(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  core.before_access(step, *warp.convergence);
  return step.execute(core, warp, step, active, on);
}

// What an access adds to an instruction's counts.
struct AccessSums {
  std::uint64_t accesses, distributed, pieces, ideal, lines;

  AccessSums(const InstructionCounts& counts, bool in_shared)
      : accesses(in_shared ? counts.shared : counts.global),
        distributed(counts.dshared),
        pieces(in_shared ? counts.wavefronts_shared : counts.sectors_global),
        ideal(in_shared ? counts.wavefronts_shared_ideal : counts.sectors_global_ideal),
        lines(counts.tags_global) {}
};

bool is_shared_access(const Step& step) {
  return step.instruction->op == isa::Op::LDS || step.instruction->op == isa::Op::STS;
}

// The lower word of the first lane's address, and which pattern that is of the instruction's.
std::uint32_t first_address(const Warp& warp, const Step& step) {
  std::uint32_t at = static_cast<std::uint32_t>(step.address.offset) + *source_row(warp, step.a);
  if (step.address.uniform != AddressForm::Base::none)
    at += *destination_row(warp, step.address.uniform_row);
  return at;
}
unsigned phase_of(const Step& step, std::uint32_t at) {
  return is_shared_access(step) ? 0 : at >> kSectorShift & (native::Machine::kPhases - 1);
}

// Remembers where the access was (AccessPattern::apart is known): what it counts depends on which
// sectors lanes' pieces are in, not on where they are there.
void remember_place(native::AccessPattern& pattern, const Step& step, std::uint32_t at) {
  constexpr std::uint32_t kSectorBytes = 1 << kSectorShift;
  pattern.at = at;
  pattern.room = 0;
  if (is_shared_access(step)) return;
  std::uint32_t before = kSectorBytes, behind = kSectorBytes;  // the least that a lane has free
  for (const std::uint32_t apart : pattern.apart) {
    const std::uint32_t place = (at + apart) % kSectorBytes;
    before = std::min(before, place);
    behind = std::min(behind, kSectorBytes - place - step.width);
  }
  pattern.at = at - before;
  pattern.room = before + behind;
}

// Remembers how the access of all lanes lay, whose lower words and whose first address are given.
void remember(native::AccessPattern& pattern, const Step& step, Pc pc, const std::uint32_t* low,
              std::uint32_t at) {
  std::int64_t least = 0, most = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::int64_t apart = std::int64_t{low[lane]} - std::int64_t{low[0]};
    least = std::min(least, apart);
    most = std::max(most, apart);
    pattern.apart[lane] = static_cast<std::uint32_t>(apart);
  }
  constexpr std::int64_t kFar = 1 << 30;
  pattern.missed = pattern.pc == pc ? pattern.missed + 1 : 0;
  pattern.pc = pc;
  remember_place(pattern, step, at);
  pattern.lowest = static_cast<std::uint32_t>(-least);
  pattern.highest = ~0u - static_cast<std::uint32_t>(most);
  pattern.least = static_cast<std::int32_t>(least);
  pattern.bytes = static_cast<std::uint32_t>(most - least) + step.width;
  // None is like that.
  if (most - least >= kFar) pattern.lowest = ~0u, pattern.highest = 0;
}

// Of an access that native code may make itself when it lies as this one. Those of which none is as
// the one before are seldom looked at.
Flow execute_noted(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (step.accesses > Step::kByThreads) core.before_access(step, *warp.convergence);
  constexpr std::uint32_t kGiveUp = 8, kSeldom = 256;
  const bool in_shared = is_shared_access(step);
  if (on != kFullMask || !(in_shared ? core.shares_freely : core.loads_freely) ||
      step.address.base == AddressForm::Base::none)
    return step.execute(core, warp, step, active, on);
  const Pc pc = core.pc_of(step);
  const std::uint32_t at = first_address(warp, step);
  const native::AccessPattern& last = core.pattern_of(pc, phase_of(step, at));
  if (last.pc == pc && last.missed >= kGiveUp &&
      ++core.pattern_of(pc, phase_of(step, at)).missed % kSeldom != 0)
    return step.execute(core, warp, step, active, on);
  const std::uint32_t* const row = source_row(warp, step.a);
  alignas(kCacheLine) std::array<std::uint32_t, kWarpSize> low;
  std::copy_n(row, kWarpSize, low.data());
  const bool is_near = step.address.base != AddressForm::Base::pair64 ||
                       std::equal(row + kWarpSize + 1, row + 2 * kWarpSize, row + kWarpSize);
  const AccessSums before(core.counts_of(step), in_shared);
  const Flow flow = step.execute(core, warp, step, active, on);
  const AccessSums after(core.counts_of(step), in_shared);
  if (flow != Flow::next || !is_near || after.accesses != before.accesses + 1 ||
      after.distributed != before.distributed)
    return flow;
  core.make_patterns();
  native::AccessPattern& pattern = core.pattern_of(pc, phase_of(step, at));
  remember(pattern, step, pc, low.data(), at);
  pattern.pieces = static_cast<std::uint32_t>(after.pieces - before.pieces);
  pattern.ideal = static_cast<std::uint32_t>(after.ideal - before.ideal);
  pattern.lines = static_cast<std::uint32_t>(after.lines - before.lines);
  return flow;
}

// Of a warp that may have several groups, among which the current one may get another place.
Flow execute_partial(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (step.accesses != 0) {
    core.before_access(step, *warp.convergence);
    core.current_pc = place_of(warp.convergence->current().pc);
    *core.current_pc = core.pc_of(step) + 1;
  }
  const Flow flow = step.execute(core, warp, step, active, on);
  if (flow == Flow::next) core.current_pc = place_of(warp.convergence->current().pc);
  return flow;
}

bool goes_on(native::Machine* machine, WarpState* state, std::uint32_t active, std::uint32_t pc) {
  Reconvergence& lanes = *static_cast<Warp*>(state)->convergence;
  if (!lanes.has_current() || lanes.replays()) return false;
  Group& group = lanes.current();
  machine->current_pc = place_of(group.pc);
  return group.lanes == Mask(active) && group.pc == pc;
}

// Of weak loads and stores of one or two words, which access nothing but their memory.
native::RowAccess describe_access(const Step& step, std::uint32_t index) {
  using isa::Op;
  native::RowAccess access;
  if (step.instruction == nullptr || step.execute == execute_past_end) return access;
  const Op op = step.instruction->op;
  access.loads = op == Op::LDG || op == Op::LDS;
  access.is_shared = op == Op::LDS || op == Op::STS;
  const bool is_plain = access.loads || access.is_shared || op == Op::STG;
  const bool has_width = step.width >= 4 && step.width <= 16;
  const auto offset = static_cast<std::int32_t>(step.address.offset);
  if (!is_plain || !has_width || step.selector != 0 || step.address.shift != 0 ||
      offset != step.address.offset)
    return access;
  const auto base = [](AddressForm::Base from) {
    return static_cast<native::RowAccess::Base>(from);
  };
  access.base = base(step.address.base);
  access.uniform = base(step.address.uniform);
  access.has_policy = step.address.has_descriptor;
  access.uniform_row = step.address.uniform_row;
  access.offset = offset;
  access.row_before = RowPrefetch::place_of(index);
  access.gives_way_in_shared = (step.accesses & Step::kOrderedShared) != 0;
  access.gives_way_in_global = step.accesses > Step::kByThreads && !access.gives_way_in_shared;
  access.width = step.width;
  return access;
}

native::RunOp describe_step(const LoweredProgram& program, std::uint32_t index) {
  const Step& step = program.steps[index];
  native::RunOp op;
  op.op = &step;
  op.threads_on = {Tally::page_of(index), Tally::threads_on_in_page(index)};
  if (step.lane != nullptr) return op;
  const bool ordered = step.accesses > Step::kByThreads;
  op.access = describe_access(step, index);
  op.execute = reinterpret_cast<const void*>(op.access.width != 0 ? execute_noted
                                             : ordered            ? execute_ordered
                                                                  : step.execute);
  op.execute_partial = reinterpret_cast<const void*>(execute_partial);
  op.is_idle = step.instruction != nullptr && step.instruction->op == isa::Op::EXIT &&
               step.execute != execute_past_end;
  op.is_branch = is_plain_branch(step);
  op.target = step.target;
  return op;
}

// Pieces of a function's code, which begins where none of its branches leads out of.
native::Runs::Region region_at(const LoweredProgram& program, std::uint32_t index) {
  constexpr auto kLongest = static_cast<std::uint32_t>(native::RegionCompiler::kLongest);
  const auto behind = std::ranges::upper_bound(program.sections, index);
  const std::uint32_t first = behind == program.sections.begin() ? 0 : *std::prev(behind);
  const auto last = static_cast<std::uint32_t>(program.steps.size() - 1);
  const std::uint32_t end = behind == program.sections.end() ? last : *behind;
  if (index >= end) return {index, index};
  const std::uint32_t from = first + (index - first) / kLongest * kLongest;
  return {from, std::min(from + kLongest, end)};
}

}  // namespace

std::shared_ptr<native::Runs> make_native(const LoweredProgram& program) {
  const auto unit = native::best_unit();
  return unit ? make_native(program, *unit) : nullptr;
}

std::shared_ptr<native::Runs> make_native(const LoweredProgram& program, native::VectorUnit unit) {
  const auto edge_of = [](std::uint32_t pc) {
    return native::CountPlace{Tally::page_of(pc), Tally::edge_in_page(pc)};
  };
  return std::make_shared<native::Runs>(
      unit, program.steps.size(),
      [&program](std::uint32_t index) { return describe_step(program, index); },
      known_words(program), [&program](std::uint32_t index) { return region_at(program, index); },
      native::RegionHelpers{edge_of, goes_on});
}

}  // namespace heddle::simulator
