// One block at a time: the loop that every simulated instruction passes through.
#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "simulator/execute/constant_bank.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/execute/row_layout.hpp"
#include "simulator/execute/spinning.hpp"
#include "simulator/launch/classify.hpp"
#include "simulator/launch/code_place.hpp"
#include "simulator/memory/local_memory.hpp"
#include "simulator/memory/mapped_around.hpp"
#include "simulator/native/runs.hpp"

namespace heddle::simulator {
namespace {

// Observers, and the search for loops that spin, may read all rows of a warp.
std::size_t choose_rows_per_warp(const LaunchContext& launch) {
  if (!launch.options->settings.timing || launch.options->observer != nullptr) return kRowsPerWarp;
  return interleaved_rows({launch.kernel->registers, launch.kernel->uniform_registers});
}

// Tests drive a core without a module.
MakeReconvergence reconvergence_of(const LaunchContext& context) {
  const Module* const module = context.request->module;
  return reconvergence_by(context.reconvergence, module == nullptr ? nullptr : &module->cubin(),
                          module == nullptr ? nullptr : &module->program(), context.patched);
}

// Of a parameter whose address the kernel takes.
std::byte* parameter_at(const LaunchContext& launch, std::uint64_t address, std::uint64_t bytes) {
  const std::vector<std::byte>& bank = launch.constants.banks[0];
  const std::uint64_t first = address - kParameterWindow;
  if (first > bank.size() || bytes > bank.size() - first) return nullptr;
  return const_cast<std::byte*>(bank.data() + first);
}

// Of cores that have none yet. Nobody writes to them.
native::AccessPattern* no_patterns() {
  using native::Machine;
  static std::array<native::AccessPattern, std::size_t{Machine::kPhases} * Machine::kPatterns> none;
  return none.data();
}

}  // namespace

void Core::make_patterns() {
  if (patterns_ != nullptr) return;
  constexpr std::size_t kCount = std::size_t{kPhases} * kPatterns;
  patterns_ = std::make_unique_for_overwrite<native::AccessPattern[]>(kCount);
  patterns = patterns_.get();
}

Core::Core(const LaunchContext& launch_context)
    : launch(launch_context),
      rows_per_warp(choose_rows_per_warp(launch_context)),
      make_reconvergence(reconvergence_of(launch_context)),
      counts(launch_context.program->steps.size()) {
  const LaunchRequest& request = *launch.request;
  forget_allocations();
  rows_before = prefetch.places();
  patterns = no_patterns();
  if (launch.options->observer != nullptr) left_out_ = launch.options->observer->left_out();
  if (request.grid.count() * launch.warps_per_block > 1 && launch.kernel->may_read_unordered)
    unordered_reads = std::make_unique<UnorderedReads>();
  if (!launch.options->settings.interpret) native_ = launch.program->native.get();
  // Whose groups stop nowhere but where an instruction says so.
  enters_regions_ = native_ != nullptr && launch.reconvergence == ReconvergencePolicy::barriers;
  if (const auto seed = launch.options->settings.random_schedule)
    random = std::make_unique<RandomOrder>(*seed);
}

bool Block::finished() const {
  return std::all_of(warps.begin(), warps.end(),
                     [](const Warp& warp) { return warp.convergence->finished(); });
}

std::byte* Core::resolve_slowly(std::uint64_t address, std::uint64_t bytes) {
  if (is_parameter(address)) return parameter_at(launch, address, bytes);
  if (std::byte* const inside = resolve_allocated(address, bytes)) return inside;
  const auto reached = reached_memory(*launch.memory, address);
  // Of the program's own pages nothing beyond what it has registered.
  if (!reached || (reached->host_mapped && reached->bytes == reached->allocated)) return nullptr;
  const std::uint64_t offset = address - reached->address;
  if (bytes > reached->bytes || offset > reached->bytes - bytes) return nullptr;
  // Several threads give way to one, which counts.
  if (log == nullptr) ++launch.memory->accesses_outside();
  return reached->data + offset;
}

std::byte* Core::resolve_allocated(std::uint64_t address, std::uint64_t bytes) {
  if (std::byte* const there = resolve_known(address, bytes)) return there;
  const Allocation* const found = launch.memory->find(address);
  if (found == nullptr || !found->contains(address, bytes)) return nullptr;
  Known place{found->address, found->bytes, found->data};
  if (found->registered) {
    const auto there = launch.memory->allowed(*found, address, false);
    place = {there.address, there.bytes, there.data};
    if (!place.contains(address, bytes)) return nullptr;
  }
  if (log == nullptr) place.readable = place.writable = place.bytes;
  known[next_known_] = place;
  next_known_ = (next_known_ + 1) % known.size();
  return place.data + (address - place.start);
}

bool Core::may_write_there(std::uint64_t address, std::uint64_t bytes) {
  if (writable_.contains(address, bytes)) return true;
  const Allocation* const found = launch.memory->find(address);
  if (found == nullptr || !found->registered) return true;
  const auto there = launch.memory->allowed(*found, address, true);
  writable_ = {there.address, there.bytes, there.data};
  return writable_.contains(address, bytes);
}

bool Core::reads_freely(std::uint64_t address, std::uint64_t bytes) {
  for (Known& each : known) {
    if (!each.contains(address, bytes)) continue;
    if (each.notes.uses != nullptr) return false;
    if (each.readable == 0 && log->may_read_within(each.start, each.start + each.bytes))
      each.readable = each.bytes;
    return each.readable != 0;
  }
  return log->may_read_within(address, address + bytes);
}

bool Core::note(AccessKind kind, std::uint64_t address, std::uint64_t bytes) {
  for (const Known& each : known)
    if (each.contains(address, bytes))
      return each.notes.uses != nullptr &&
             each.notes.note(
                 address - each.start, bytes,
                 kind == AccessKind::load ? WordNotes::kForReads : WordNotes::kForWrites);
  return false;
}

void Core::take_notes_of(std::uint64_t address) {
  for (Known& each : known)
    if (each.contains(address, 1)) each.notes = log->notes_of(each.start);
}

void Core::tell(AccessLog* of) {
  log = of;
  forget_allocations();
}

void Core::forget_allocations() {
  known = {};
  writable_ = {};
  const auto registered = launch.memory->registered();
  registered_ = {registered.address, registered.bytes, nullptr};
}

void Core::start_block(Block& block, std::uint64_t linear) const {
  const Dim3& grid = launch.request->grid;
  const auto threads = static_cast<std::uint32_t>(launch.request->block.count());
  block.linear = linear;
  block.sm = static_cast<std::uint32_t>(linear % launch.model->sms);
  block.index = {static_cast<std::uint32_t>(linear % grid.x),
                 static_cast<std::uint32_t>(linear / grid.x % grid.y),
                 static_cast<std::uint32_t>(linear / grid.x / grid.y)};
  block.warps.resize(launch.warps_per_block);
  // The rows that are looked at are cleared below, but those that only observers see.
  const bool all_zero = launch.options->observer != nullptr;
  const std::vector<RowRange>& cleared =
      all_zero || shows_registers ? launch.kernel->named_rows : launch.kernel->rows_read_first;
  const std::size_t words = words_of_rows(launch.warps_per_block, rows_per_warp);
  const bool clears_unnamed = !all_zero && block.rows.size() != words;
  // Where warps lie close together, other warps' rows are between those that it can touch.
  const unsigned first_unnamed =
      kUniformRow + (rows_per_warp < kRowsPerWarp || !shows_registers ? isa::kUniformRegisters : 0);
  if (rows_per_warp == kRowsPerWarp)
    block.rows.resize_in_big_pages(words, all_zero ? Fresh::zeroed : Fresh::anything);
  else if (block.rows.size() != words)
    rows_of_blocks_.give(block.rows, words, launch.warps_per_block * rows_per_warp * kWarpSize,
                         grid.count());
  block.shared.assign(launch.shared_bytes, std::byte{0});
  block.local.reset(launch.warps_per_block * kWarpSize * local_stride(launch.local_bytes));
  block.barriers.fill({});
  block.at_cluster_barrier = block.at_grid_barrier = false;
  block.barriers_completed = 0;
  block.awaited_barriers = 0;
  block.results.assign(launch.warps_per_block, {});
  block.spare_registers = 0;
  block.tensor_cells.clear();
  block.tensor_columns = 0;
  constexpr std::uint32_t kRegisterUnit = 8;
  const std::uint32_t registers =
      (launch.request->kernel->registers + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  for (std::uint32_t i = 0; i < launch.warps_per_block; ++i) {
    Warp& warp = block.warps[i];
    warp.block = &block;
    warp.index = i;
    warp.cluster_arrived = warp.grid_arrived = Mask();
    warp.may_spin = false;
    warp.gave_way = 0;
    warp.held_since.reset();
    warp.products = {};
    warp.registers = registers;
    warp.rows = block.rows.data() + i * rows_per_warp * kWarpSize;
    warp.pool = launch.pool->data();
    warp.predicates.fill(Mask());
    warp.predicates[kPT] = warp.predicates[kUniformPredicates + kPT] = kFullMask;
    if (clears_unnamed)
      std::fill(warp.rows + std::size_t{first_unnamed} * kWarpSize,
                warp.rows + std::size_t{kRowsPerWarp} * kWarpSize, 0u);
    for (const RowRange& rows : cleared)
      std::fill_n(warp.rows + rows.first * kWarpSize, rows.count * kWarpSize, 0u);
    const std::uint32_t lanes = std::min(kWarpSize, threads - i * kWarpSize);
    if (warp.convergence == nullptr) warp.convergence = make_reconvergence();
    warp.convergence->start(Mask::below(lanes), Pc(launch.entry));
  }
}

// Lanes that an indirect branch, a WARPSYNC or a BSYNC left at it execute it now, uncounted: until
// the current group is at an instruction of its own. False: the launch stops.
bool Core::replay(Warp& warp) {
  Reconvergence& lanes = *warp.convergence;
  while (lanes.has_current() && lanes.replays()) {
    Group& group = lanes.current();
    const Step& step = launch.program->steps[group.pc++];
    const Mask on = group.lanes & warp.predicate(step.guard);
    if (step.execute(*this, warp, step, group.lanes, on) == Flow::stop) return false;
  }
  return true;
}

// Executes instructions that touch only registers and predicates by their lane functions: from one
// that does up to one that does not, or the end.
const Step* Core::interpret_run(Warp& warp, const Step* step, const Step* end, Mask active) {
  if (native_ != nullptr) native_->visit(pc_of(*step));
  do {
    const Mask on = active & warp.predicate(step->guard);
    if (on != active) counts.take_off(pc_of(*step), (active & ~on).count());
    if (on.any()) step->lane(warp, *step, on | step->widen);
    ++step;
  } while (step != end && step->lane != nullptr);
  return step;
}

// The same, as native code where there is some for the whole run.
inline const Step* Core::execute_run(Warp& warp, const Step* step, const Step* end, Mask active) {
  if (native_ == nullptr) return interpret_run(warp, step, end, active);
  const Pc first = pc_of(*step);
  const native::Runs::Entry& entry = native_->at(first);
  const native::Function function = entry.function(active == kFullMask);
  if (function == nullptr || entry.length > end - step)
    return interpret_run(warp, step, end, active);
  if (entry.has_guards) counts.make_room(first, first + entry.length - 1);
  function(&warp, active.bits(), counts.pages());
  return step + entry.length;
}

// Enters native code for a stretch that begins at `first`, and for those that follow without
// leaving it. Returns a Flow, with kOverBudget where it has to go on otherwise.
inline std::uint32_t Core::execute_region(Warp& warp, Pc first, Mask active, const void* place) {
  if (!counts.has_room(first)) {
    const native::Runs::Region region = native_->region_of()(first);
    counts.make_region_room(region.first, region.end);
  }
  counts.begin_stretch(first, active == kFullMask ? kWarpSize : active.count());
  shares_freely = !observed && launch.model->access_rules == AccessRules::sectors;
  loads_freely = shares_freely && !notes_accesses();
  stores_freely = loads_freely && journal == nullptr && !guards_writes();
  gives_way_in_shared = giving_way.would(true);
  gives_way_in_global = giving_way.would(false);
  shared = warp.block->shared.data();
  shared_bytes = launch.shared_bytes;
  gave_way = false;
  current_pc = place_of(warp.convergence->current().pc);
  const std::uint32_t ended = native_->enter()(this, &warp, active.bits(), counts.pages(), place);
  if (gave_way) giving_way.give();
  return ended;
}

// Executes a warp's instructions in stretches: those that its current group executes one after the
// other. Ends where no group can go on or one is to replay, and where the turn is over; false: the
// launch stops.
bool Core::run_stretches(Warp& warp) {
  const std::vector<Step>& steps = launch.program->steps;
  Reconvergence& lanes = *warp.convergence;
  Mask active = lanes.current().lanes;
  std::uint32_t first = lanes.current().pc;
  const auto index = [&](const Step* step) {
    return Pc(static_cast<std::uint32_t>(step - steps.data()));
  };
  bool halts = false;
  std::uint64_t limit = 0;  // for which the end was found, as `halt`
  Reconvergence::Halt halt;
  const auto end_of_stretch = [&](const Step* step) {
    limit = issue_limit;
    halt = lanes.halt();
    const std::uint64_t turn =
        std::min<std::uint64_t>(issue_limit - issued, steps.size() - index(step));
    const std::uint64_t until_halt = lanes.until_halt(index(step));
    halts = until_halt < turn;
    return step + (halts ? until_halt : turn);
  };
  const auto goes_on = [&] {
    return issued < issue_limit && lanes.has_current() && !lanes.replays();
  };
  for (;;) {
    if (enters_regions_) {
      const bool all_active = active == kFullMask;
      if (const void* const place = native_->place(first, all_active)) {
        const std::uint32_t ended = execute_region(warp, Pc(first), active, place);
        if (ended == static_cast<std::uint32_t>(Flow::stop)) return false;
        if (!goes_on()) return true;
        active = lanes.current().lanes;
        first = lanes.current().pc;
        if (ended < native::kOverBudget) continue;
      } else {
        native_->visit_place(first, all_active);
      }
    }
    const Step* step = steps.data() + first;
    const Step* counted_to = step;  // what `issued` has counted
    const Step* end = end_of_stretch(step);
    Flow flow = Flow::next;
    while (step != end) {
      if (step->lane != nullptr) {
        step = execute_run(warp, step, end, active);
        continue;
      }
      const Mask on = active & warp.predicate(step->guard);
      if (on != active) counts.take_off(index(step), (active & ~on).count());
      issued += static_cast<std::uint64_t>(step + 1 - counted_to);
      counted_to = step + 1;
      if (step->accesses != 0) before_access(*step, lanes);
      lanes.current().pc = index(counted_to);
      flow = step->execute(*this, warp, *step, active, on);
      step = counted_to;
      if (flow != Flow::next) break;
      if (enters_regions_ && native_->place(index(step), active == kFullMask) != nullptr) break;
      if (issue_limit != limit || lanes.halt() != halt) end = end_of_stretch(step);
    }
    counts.add_stretch(first, index(step), active == kFullMask ? kWarpSize : active.count());
    if (flow == Flow::next) {
      issued += static_cast<std::uint64_t>(step - counted_to);
      lanes.current().pc = index(step);
      if (halts) lanes.settle();
    }
    if (flow == Flow::stop) return false;
    if (!goes_on()) return true;
    active = lanes.current().lanes;
    first = lanes.current().pc;
  }
}

// Runs one warp until none of its groups can go on or the turn is over; false: the launch stops.
bool Core::run_warp(Warp& warp) {
  while (warp.convergence->has_current()) {
    if (warp.convergence->replays()) {
      if (!replay(warp)) return false;
      continue;
    }
    if (issued >= issue_limit) return true;
    if (!run_stretches(warp)) return false;
  }
  return true;
}

Issue Core::step(Warp& warp, Observer* observer) {
  Reconvergence& lanes = *warp.convergence;
  const Pc pc = lanes.current().pc;
  const Step& step = launch.program->steps[pc];
  Issue issue;
  issue.pc = pc;
  issue.active = lanes.current().lanes;
  issue.on = issue.active & warp.predicate(step.guard);
  if (observer != nullptr) observer->issuing(*this, warp, issue);
  const unsigned threads = issue.active == kFullMask ? kWarpSize : issue.active.count();
  count(pc, threads, issue.on, issue.on == issue.active);
  observed = true;
  accesses.clear();
  if (step.accesses != 0) before_access(step, lanes);
  lanes.current().pc = pc + 1;
  if (step.lane != nullptr) {
    if (issue.on.any()) step.lane(warp, step, issue.on | step.widen);
  } else {
    issue.flow = step.execute(*this, warp, step, issue.active, issue.on);
  }
  if (issue.flow != Flow::stop && !replay(warp)) issue.flow = Flow::stop;
  if (issue.flow != Flow::stop && lanes.has_current() && lanes.halts_at(lanes.current().pc)) {
    lanes.settle();
    issue.flow = Flow::reschedule;
  }
  issue.accesses = accesses;
  if (observer != nullptr) observer->issued(*this, warp, issue);
  return issue;
}

std::uint32_t Core::compute(Warp& warp, std::uint32_t end) {
  Group& group = warp.convergence->current();
  const std::uint32_t first = group.pc;
  // The one before which it halts is for `step`.
  end = first + std::min(end - first, warp.convergence->until_halt(first) - 1);
  const Step* step = launch.program->steps.data() + first;
  for (const Step* const stop = step + (end - first); step != stop;)
    step = execute_run(warp, step, stop, group.lanes);
  counts.add_stretch(first, end, group.lanes == kFullMask ? kWarpSize : group.lanes.count());
  group.pc = Pc(end);
  return end;
}

// Executes the current group's instructions that the observer leaves out, up to the first that it
// is to be told of.
void Core::run_left_out(Warp& warp, Observer& observer) {
  Reconvergence& lanes = *warp.convergence;
  const Mask active = lanes.current().lanes;
  const Pc first = lanes.current().pc;
  const std::uint64_t most =
      std::min<std::uint64_t>({left_out_[first], issue_limit - issued, lanes.until_halt(first)});
  const Step* step = launch.program->steps.data() + first;
  std::uint64_t done = 0;
  for (; done < most && step->lane != nullptr; ++step, ++done) {
    const Mask on = active & warp.predicate(step->guard);
    if (on != active) counts.take_off(first + done, (active & ~on).count());
    if (on.any()) step->lane(warp, *step, on | step->widen);
  }
  if (done == 0) return;
  const Pc end = first + done;
  counts.add_stretch(first, end, active == kFullMask ? kWarpSize : active.count());
  issued += done;
  lanes.current().pc = end;
  if (lanes.halts_at(end)) lanes.settle();
  observer.passed(*this, warp, first, end, active);
}

// As run_warp, instruction by instruction where the observer wants to be told.
bool Core::run_warp_observed(Warp& warp, Observer& observer) {
  while (warp.convergence->has_current() && issued < issue_limit) {
    const bool leaves_out = !left_out_.empty() && left_out_[warp.convergence->current().pc] != 0;
    if (leaves_out && !warp.convergence->replays()) run_left_out(warp, observer);
    if (!warp.convergence->has_current() || issued >= issue_limit) break;
    if (step(warp, &observer).flow == Flow::stop) return false;
  }
  return true;
}

bool Core::run_warp_turn(Warp& warp) {
  if (Observer* const observer = launch.options->observer)
    return run_warp_observed(warp, *observer);
  return run_warp(warp);
}

// Whether warps that use their turns to the end are looked at for loops without an end. Where not
// every lane gets its turn that is what locks come to; otherwise it is done now and then.
bool Core::may_look_for_spinning() const {
  return !info(launch.reconvergence).progress || look_closely || looks_now_and_then();
}

std::uint64_t Core::turn_length(const Warp& warp, std::uint64_t longest) {
  if (draws_turns()) return random->length(longest);
  return warp.convergence->released_by_block() ? std::min(kTurnBehindBarrier, longest) : longest;
}

std::span<const std::uint32_t> Core::order_of_warps(const Block& block) {
  if (random != nullptr || order_.size() != block.warps.size()) {
    order_.resize(block.warps.size());
    std::iota(order_.begin(), order_.end(), 0u);
  }
  if (draws_turns()) random->shuffle(std::span(order_));
  return order_;
}

// False: the launch stops.
bool Core::take_turn(Warp& warp, std::uint64_t end, std::uint64_t longest, Round& round) {
  const bool behind_barrier = warp.convergence->released_by_block();
  issue_limit = std::min(end, issued + turn_length(warp, longest));
  begin_giving_way(warp);
  warp.convergence->begin_turn();
  polling.begin_turn(issued);
  Spinning spinning = Spinning::no;
  if (warp.may_spin || look_closely) spinning = look_for_spinning(*this, warp);
  if (spinning == Spinning::stopped || !run_warp_turn(warp)) return false;
  end_giving_way(warp);
  const bool used_up = issued == issue_limit && !giving_way.gave() && !behind_barrier &&
                       !warp.convergence->released_by_block();
  warp.may_spin = used_up && may_look_for_spinning();
  round.spun = round.spun && spinning != Spinning::no;
  round.all_wait = round.all_wait && polling.waits();
  seen.patches_show |= warp.convergence->patches_show();
  return true;
}

// Warps take turns, so that one which spins on another's flag does not keep the core. Groups of a
// warp do not: on hardware nothing but YIELD switches them. A turn is long, as switching is what
// costs, but where warps may race (GivingWay).
Core::Turn Core::run_block(Block& block, std::uint64_t quantum, std::uint64_t longest_turn) {
  const std::uint64_t end = issued + std::min(quantum, instruction_limit - issued);
  Round round;
  for (;;) {
    bool ran = false;
    round.all_wait = true;
    for (const std::uint32_t index : order_of_warps(block)) {
      Warp& warp = block.warps[index];
      if (!warp.convergence->has_current()) continue;
      ran = true;
      if (!take_turn(warp, end, longest_turn, round)) return Turn::stopped;
      if (warp.convergence->finished()) check_block_barriers(block);
      if (issued == end)
        return block.finished() ? Turn::finished : round.spun ? Turn::spinning : Turn::out_of_time;
    }
    if (block.finished()) return Turn::finished;
    if (!ran) return Turn::stuck;
    if (round.all_wait) return round.spun ? Turn::spinning : Turn::waiting;
  }
}

Flow hold(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  // So that at least two in a row, which are seen as a loop, fit into a turn; also into the short
  // ones of cooperative launches.
  constexpr std::uint64_t kPause = kWarpTurn / 2;
  const std::uint64_t left = core.issue_limit - std::min(core.issued, core.issue_limit);
  InstructionCounts& counts = core.counts_of(step);
  counts.executed -= 1;
  counts.threads -= active.count();
  counts.threads_on -= on.count();
  warp.convergence->current().pc = core.pc_of(step);
  if (!warp.held_since) warp.held_since = core.cycle != nullptr ? *core.cycle : core.issued;
  if (core.cycle == nullptr) {
    const std::uint64_t pause = left >= kPause ? kPause : (left + 1) / 2;
    core.issued += pause;
    // The warp executes nothing in this pause, which must not use up the launch's limit.
    core.instruction_limit += std::min(pause, ~core.instruction_limit);
  }
  return Flow::reschedule;
}

bool others_can_go_on(const Warp& warp) {
  const auto can = [](const Group& group) { return group.wait == Wait::none; };
  return std::ranges::count_if(warp.convergence->groups(), can) > 1;
}

Flow Core::raise(Fault::Kind kind, const Warp& warp, const Step& step, Mask lanes,
                 std::uint64_t address, std::string details) {
  Fault raised;
  raised.kind = kind;
  raised.kernel = launch.request->kernel->name;
  raised.block_index = warp.block->index;
  raised.warp = warp.index;
  raised.lanes = lanes;
  const Dim3& shape = launch.request->block;
  const std::uint32_t thread = warp.index * kWarpSize + (lanes.empty() ? 0 : lanes.first());
  raised.thread = {thread % shape.x, thread / shape.x % shape.y, thread / shape.x / shape.y};
  CodePlace place = code_place(*launch.request->module, pc_of(step));
  raised.pc = place.pc;
  raised.function = std::move(place.function);
  raised.source = std::move(place.line);
  raised.calls = std::move(place.calls);
  raised.instruction = std::move(place.instruction);
  raised.address = address;
  raised.access_bytes = step.width;
  raised.details = std::move(details);
  fault = std::move(raised);
  return Flow::stop;
}

}  // namespace heddle::simulator
