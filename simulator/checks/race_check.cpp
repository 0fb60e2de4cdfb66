#include "simulator/checks/race_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "isa/attributes.hpp"
#include "simulator/checks/emulated_atomics.hpp"
#include "simulator/execute/block_barrier.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Op;

// Lanes exchange values: all active ones have reached it. (A NOP is what is left of __syncwarp()
// where all lanes are known to be there.)
bool takes_all_lanes(const isa::Instruction& in) {
  return isa::facts(in).work == isa::Work::exchange || isa::effect(in) == isa::Effect::no_operation;
}

bool is_atomic(AccessKind kind) { return kind != AccessKind::load && kind != AccessKind::store; }

// `otherwise`: of loads and stores.
Use use_of(const Access& access, Use otherwise) {
  if (access.kind == AccessKind::compare_and_swap || access.kind == AccessKind::cast_spin)
    return Use::swap;
  return is_atomic(access.kind) ? Use::atomic : otherwise;
}

Mask lanes_waiting(const Warp& warp, Wait wait) {
  Mask lanes;
  for (const Group& group : warp.convergence->groups())
    if (group.wait == wait) lanes |= group.lanes;
  return lanes;
}

// Whether no two lanes access the same address; false: it is not known. Most accesses go up or down
// with the lanes.
bool are_apart(const Access& access) {
  std::uint64_t least = 0, most = ~std::uint64_t{0};  // that the next one may be
  bool rises = true, falls = true;
  for (const unsigned lane : access.lanes) {
    const std::uint64_t at = access.address[lane];
    rises = rises && at >= least;
    falls = falls && at <= most && at != 0;
    least = at + 1;
    most = at - 1;
  }
  if (rises || falls) return true;
  // Others by a table of all of them, open to the next place.
  std::array<std::uint64_t, 2 * kWarpSize> seen{};
  bool apart = true;
  for (const unsigned lane : access.lanes) {
    const std::uint64_t key = access.address[lane] + 1;
    std::size_t at = key * 0x9e3779b97f4a7c15u >> 58;
    while (seen[at] != 0 && seen[at] != key) at = (at + 1) % seen.size();
    apart = apart && seen[at] == 0;
    seen[at] = key;
  }
  return apart;
}

}  // namespace

RaceCheck::Watched RaceCheck::watched(const isa::Instruction& in) {
  Watched result;
  result.of_barrier = isa::memory_access(in).of == isa::MemoryAccess::Of::barrier;
  if (result.of_barrier || isa::is_strong(in)) result.use = Use::strong;
  result.copies = copies_of(in);
  const isa::MemoryOrder::Scope scope = isa::memory_order(in).scope;
  if (scope == isa::MemoryOrder::Scope::block || scope == isa::MemoryOrder::Scope::sm)
    result.scope = Scope::block;
  if (isa::effect(in) != isa::Effect::wait_counter) return result;
  result.waits_for_groups = in.mod(isa::Mod::le) != 0;
  result.scoreboards = isa::awaited_scoreboards(in);
  result.scoreboard = static_cast<std::uint8_t>(in.mod(isa::Mod::sb_index));
  result.left = static_cast<std::uint8_t>(in.mod(isa::Mod::sb_count));
  return result;
}

void RaceCheck::begin(const LaunchRequest& request) {
  knowledge_.clear();
  blocks_.clear();
  last_track_ = nullptr;
  drop_put_aside();
  linear_.clear();
  global_.clear();
  told_at_.clear();
  clusters_.clear();
  seen_ = {};
  for_debugging_ = is_for_debugging(*request.module);
  if (code_ == request.module->code_sha256()) return;
  const LoweredProgram& program = lowered(*request.module);
  if (program.steps.size() > Trace::kMostPc)
    throw std::runtime_error(
        fmt::format("--check races: the code of {} has more than {} instructions",
                    request.module->origin(), std::uint32_t{Trace::kMostPc}));
  code_ = request.module->code_sha256();
  emulates_ = loads_of_emulated_atomics(program);
  watched_.clear();
  for (const Step& step : program.steps)
    watched_.push_back(step.instruction == nullptr ? Watched{} : watched(*step.instruction));
}

void RaceCheck::block_started(const Core& core, const Block& block) {
  BlockTrack& track = blocks_[block.linear];
  track.phases.start(core.launch.shared_bytes);
  if (spare_.empty()) spare_.push_back(std::make_unique<Shadow>());
  track.shared = std::move(spare_.back());
  track.shared->clear();
  spare_.pop_back();
  track.number = linear_.add(block.linear);
  if (block.cluster != nullptr) ++clusters_[block.cluster.get()].blocks;
  track.warps.resize(block.warps.size());
  for (std::size_t i = 0; i < block.warps.size(); ++i)
    track.warps[i].lanes.start(block.warps[i].convergence->live());
  for (WarpTrack& warp : track.warps) warp.reader = global_.new_reader();
  knowledge_.start_block(track.number, static_cast<std::uint32_t>(block.warps.size()));
}

void RaceCheck::block_ended(const Core&, const Block& block) {
  const auto found = blocks_.find(block.linear);
  if (found == blocks_.end()) return;
  knowledge_.end_block(found->second.number);
  if (aside_of_ == &found->second) drop_put_aside();
  spare_.push_back(std::move(found->second.shared));
  blocks_.erase(found);
  const auto cluster = clusters_.find(block.cluster.get());
  if (cluster != clusters_.end() && --cluster->second.blocks == 0) clusters_.erase(cluster);
  last_track_ = nullptr;
}

// What lies where the warp has just written; null: not all of it in one place.
const std::byte* RaceCheck::bytes_at(const Core& core, const Warp& warp, const Access& access,
                                     std::uint64_t address, std::uint64_t bytes) {
  if (access.space == Window::shared) return shared_view(core, *warp.block, address, bytes);
  if (address - seen_.address >= seen_.bytes || bytes > seen_.bytes - (address - seen_.address)) {
    const Allocation* const found = core.launch.memory->find(address);
    if (found == nullptr || !found->contains(address, bytes)) return nullptr;
    seen_ = {found->address, found->bytes, found->data};
  }
  return seen_.data + (address - seen_.address);
}

RaceCheck::BlockTrack& RaceCheck::track_of(const Block& block) {
  if (last_track_ == nullptr || last_linear_ != block.linear) {
    last_track_ = &blocks_.at(block.linear);
    last_linear_ = block.linear;
  }
  return *last_track_;
}

// A barrier has released its warps once those that reached it no longer wait there.
void RaceCheck::look_at_barriers(const Block& block, BlockTrack& track) {
  if (block.barriers_completed == track.barriers_completed) return;
  track.barriers_completed = block.barriers_completed;
  std::erase_if(track.arrivals, [&](auto& each) {
    auto& [number, arrivals] = each;
    if (arrivals.waiting_warps == 0) return false;
    for (const Warp& warp : block.warps)
      if ((warp.convergence->waiting_at_block_barrier(number) & arrivals.waiting[warp.index]).any())
        return false;
    knowledge_.meet(track.number, arrivals.waiting_warps, arrivals.arrived_warps);
    for (const Warp& warp : block.warps)
      track.warps[warp.index].lanes.meet(arrivals.waiting[warp.index]);
    if (track.phases.released(block, arrivals.waiting) && aside_of_ == &track) drop_put_aside();
    return true;
  });
}

void RaceCheck::look_at_warp_sync(const Warp& warp, WarpTrack& track) {
  if (track.at_warp_sync.empty()) return;
  const Mask waiting = lanes_waiting(warp, Wait::warp_sync);
  track.lanes.meet(track.at_warp_sync & ~waiting);
  track.at_warp_sync &= waiting;
}

bool RaceCheck::looks_before(const Step& step) const {
  const isa::Instruction& in = *step.instruction;
  switch (isa::effect(in)) {
    case isa::Effect::block_barrier:
    case isa::Effect::warp_sync:
    case isa::Effect::fence:
    case isa::Effect::end_copies:
    case isa::Effect::end_bulk_copies:
    case isa::Effect::wait_counter:
    case isa::Effect::cluster_arrive:
    case isa::Effect::cluster_wait:
    case isa::Effect::call:
      return true;
    default:
      return takes_all_lanes(in) || isa::memory_access(in).of == isa::MemoryAccess::Of::barrier ||
             in.op == Op::WARPGROUP;
  }
}

bool RaceCheck::looks_behind(const Step& step) const {
  return isa::effect(*step.instruction) == isa::Effect::call;
}

void RaceCheck::catch_up(const Warp& warp, BlockTrack& track, Mask active) {
  WarpTrack& of_warp = track.warps[warp.index];
  look_at_barriers(*warp.block, track);
  look_at_warp_sync(warp, of_warp);
  of_warp.lanes.issue();
  if (!of_warp.at_cluster_wait) return;
  of_warp.at_cluster_wait = false;
  of_warp.lanes.meet(active);
  knowledge_.learn({track.number, warp.index}, std::make_shared<const Knowledge::Told>(
                                                   clusters_[warp.block->cluster.get()].told));
}

void RaceCheck::issuing(const Core& core, const Warp& warp, const Issue& next) {
  const Block& block = *warp.block;
  BlockTrack& track = track_of(block);
  WarpTrack& of_warp = track.warps[warp.index];
  const WarpId id{track.number, warp.index};
  call_ = heap_call(core, warp, next);
  catch_up(warp, track, next.active);
  const Step& step = core.launch.program->steps[next.pc];
  if (step.instruction == nullptr) return;
  if (next.on.empty()) return;
  if (isa::memory_access(*step.instruction).of == isa::MemoryAccess::Of::barrier)
    knowledge_.fence(id);  // mbarrier operations order what is before them, and after
  if (takes_all_lanes(*step.instruction)) of_warp.lanes.meet(next.active);
  if (step.instruction->op == Op::WARPGROUP)
    wait_for_products(warp, track, next, *step.instruction);
  switch (isa::effect(*step.instruction)) {
    case isa::Effect::block_barrier: {
      const BarrierRequest request = barrier_request(warp, step, next.on);
      Arrivals& arrivals = track.arrivals[request.number];
      if (static_cast<BarrierMode>(step.selector) == BarrierMode::arrive) {
        arrivals.arrived_warps |= 1u << warp.index;
      } else {
        arrivals.waiting_warps |= 1u << warp.index;
        arrivals.waiting[warp.index] |= next.on;
      }
      break;
    }
    case isa::Effect::warp_sync:
      of_warp.at_warp_sync |= next.on;
      break;
    case isa::Effect::end_copies:
      of_warp.copies.close(CopyKind::element, next.on, group_scoreboard(*step.instruction));
      break;
    case isa::Effect::end_bulk_copies:
      of_warp.copies.close(CopyKind::bulk, next.on, group_scoreboard(*step.instruction));
      break;
    case isa::Effect::wait_counter:
      if (!of_warp.copies.empty()) wait_for_copies(warp, of_warp, next);
      break;
    case isa::Effect::fence:
      knowledge_.fence(id, watched_[next.pc].scope);
      break;
    case isa::Effect::cluster_arrive:
      knowledge_.fence(id);
      Knowledge::join(clusters_[block.cluster.get()].told, *knowledge_.told_by(id));
      break;
    case isa::Effect::cluster_wait:
      of_warp.at_cluster_wait = true;
      break;
    default:
      break;
  }
}

void RaceCheck::issued(const Core& core, const Warp& warp, const Issue& issue) {
  if (!issue.accesses.empty()) {
    BlockTrack& track = track_of(*warp.block);
    catch_up(warp, track, issue.active);
    look_at_accesses(core, warp, track, issue);
  }
  // Who had a block of the heap before has nothing to do with who has it now.
  for_each_given_block(call_, warp, [&](unsigned, std::uint64_t address, std::uint64_t bytes) {
    global_.forget(address, bytes);
  });
  call_.what = HeapCall::What::none;
}

void RaceCheck::look_at_accesses(const Core& core, const Warp& warp, BlockTrack& track,
                                 const Issue& issue) {
  const isa::Instruction& in = *core.launch.program->steps[issue.pc].instruction;
  const Copies copies = watched_[issue.pc].copies;
  if (copies == Copies::counted) {
    look_at_counted_copies(core, warp, track, issue);
    return end_phases(core, *warp.block);
  }
  if (copies == Copies::product) return look_at_product(core, warp, track, issue);
  for (const Access& access : issue.accesses) {
    if (access.space == Window::local || access.lanes.empty()) continue;
    look_at(core, warp, track, issue, access);
    if (watched_[issue.pc].of_barrier) look_at_mbarrier(core, warp, track, issue, access);
    if (in.op == Op::ARRIVES) hand_over_copies(warp, track, issue, access);
    if (is_pending(copies, access))
      begin_copies(copies, issue, access, track.warps[warp.index].copies);
  }
  end_phases(core, *warp.block);
}

void RaceCheck::look_at(const Core& core, const Warp& warp, BlockTrack& track, const Issue& issue,
                        const Access& access, const WarpId* agent) {
  const Use use = use_of(access, watched_[issue.pc].use);
  if (use != Use::plain && !watched_[issue.pc].of_barrier) synchronize(warp, track, access);
  if (access.kind == AccessKind::store && use == Use::plain)
    look_at_lanes_of_one_store(core, warp, issue, access);
  const WarpId id{track.number, warp.index};
  const Scene scene{core,
                    warp,
                    track,
                    issue,
                    access,
                    id,
                    access.kind != AccessKind::store,
                    access.kind != AccessKind::load};
  if (!scene.writes && emulates_[issue.pc]) return;
  const Watched& watched = watched_[issue.pc];
  Trace now;
  now.who = id;
  now.clock = knowledge_.clock(id);
  now.tick = track.warps[warp.index].lanes.tick();
  now.pc = issue.pc & Trace::kMostPc;
  now.how = static_cast<std::uint32_t>(use) & 3;
  now.pending = is_pending(watched.copies, access);
  now.for_block = access.space == Window::global && watched.scope == Scope::block;
  known_ = {};
  const bool may_be_elsewhere = access.space == Window::shared && warp.block->cluster != nullptr;
  if (access.space == Window::shared && !may_be_elsewhere && put_aside(scene, now, agent)) return;
  Mask left = access.lanes;
  if (agent == nullptr && now.pending == 0 && !may_be_elsewhere) {
    Shadow& shadow = access.space == Window::shared ? shared_of(track) : global_;
    if (shadow.make_room()) {
      const TraceRef ref = shadow.add(now);
      if (access.adjoining && look_at_lines(scene, shadow, ref)) return;
      left = look_at_parts(scene, shadow, now, ref);
    }
  }
  if (left.any()) look_at_cells(scene, left, now, agent);
}

// Returns the lanes of those that cells stand for.
Mask RaceCheck::look_at_parts(const Scene& scene, Shadow& shadow, Trace now, TraceRef ref) {
  const Access& access = scene.access;
  std::array<Shadow::Place, kWarpSize> found;
  Mask noted;
  const Mask others =
      shadow.find_places(access.lanes, access.address, access.width, scene.writes, found, noted);
  const Reader reader = reader_of(scene);
  for (const unsigned lane : noted) {
    const Shadow::Place& place = found[lane];
    const TraceRef of_lane = WordTraces::with_lane(ref, lane);
    if (place.written == nullptr) {  // nobody has written to the line
      for (std::uint32_t i = 0; i < place.parts_in(access.width); ++i)
        shadow.note_read(place.read[i], of_lane, now.who, reader);
      continue;
    }
    now.lane = lane % kWarpSize;
    look_at_places(scene, shadow, place, now, of_lane, reader);
  }
  return others;
}

// A lane's access to parts to which somebody may have written, or writes.
void RaceCheck::look_at_places(const Scene& scene, Shadow& shadow, Shadow::Place place,
                               const Trace& now, TraceRef ref, const Reader& reader) {
  const Access& access = scene.access;
  std::uint64_t address = access.address[now.lane];
  const std::byte* const data =
      scene.writes ? bytes_at(scene.core, scene.warp, access, address, access.width) : nullptr;
  if (access.space == Window::shared) address &= kSharedOffset;
  for (std::uint32_t at = 0; at < access.width; at += place.bytes()) {
    std::uint32_t value = 0;
    if (data != nullptr && place.bytes() == Shadow::kWord)
      std::memcpy(&value, data + at, Shadow::kWord);
    else if (data != nullptr)
      value = std::to_integer<std::uint32_t>(data[at]);
    look_at_part(scene, shadow, place, address + at, now, ref, value, reader);
    if (place.read != nullptr) ++place.read;
    ++place.written;
  }
}

// Of accesses that only cells can stand for, and of others where such have come.
void RaceCheck::look_at_cells(const Scene& scene, Mask lanes, Trace now, const WarpId* agent) {
  const Access& access = scene.access;
  Shadow* shadow = access.space == Window::shared ? &shared_of(scene.track) : &global_;
  std::uint64_t last = ~std::uint64_t{0};
  for (const unsigned lane : lanes) {
    std::uint64_t address = access.address[lane];
    if (!scene.writes && address == last) continue;  // as the lane before
    last = address;
    if (access.space == Window::shared && scene.warp.block->cluster != nullptr) {
      const Place place = shared_place(*scene.warp.block, address);
      if (place.track == nullptr) continue;
      shadow = &shared_of(*place.track);
    }
    const std::byte* const data =
        scene.writes ? bytes_at(scene.core, scene.warp, access, address, access.width) : nullptr;
    if (access.space == Window::shared) address &= kSharedOffset;
    now.lane = lane % kWarpSize;
    shadow->for_each(address, access.width, [&](Cell& cell, std::uint64_t at, std::uint32_t bytes) {
      std::uint32_t value = 0;
      if (data != nullptr) std::memcpy(&value, data + (at - address), bytes);
      look_at_cell(scene, cell, at, now, value);
      if (agent == nullptr) return;
      Trace& trace = scene.writes ? cell.write : cell.read;
      trace.who = *agent;
      trace.clock = knowledge_.clock(*agent);
    });
  }
}

Reader RaceCheck::reader_of(const Scene& scene) const {
  return scene.access.space == Window::global ? scene.track.warps[scene.id.warp].reader : Reader{};
}

// Whole lines that the lanes read or write side by side. False, and nothing is done: it is no such
// access.
bool RaceCheck::look_at_lines(const Scene& scene, Shadow& shadow, TraceRef ref) {
  constexpr std::uint64_t kLine = Shadow::kLine;
  const Access& access = scene.access;
  std::uint64_t address = access.address[0];
  if (address % kLine != 0 || access.width < Shadow::kWord || access.kind > AccessKind::store)
    return false;
  const std::uint32_t lines = access.width / Shadow::kWord;  // as many as words of a lane
  const std::byte* data = nullptr;
  if (scene.writes) {
    data = bytes_at(scene.core, scene.warp, access, address, lines * kLine);
    if (data == nullptr) return false;
  }
  if (access.space == Window::shared) address &= kSharedOffset;
  for (std::uint32_t i = 0; i < lines; ++i)
    if (shadow.line_at(address + i * kLine) == nullptr) return false;
  for (std::uint32_t i = 0; i < lines; ++i)
    look_at_line(scene, shadow, *shadow.line_at(address + i * kLine), address + i * kLine,
                 WordTraces::with_line(ref, lines, i),
                 data == nullptr ? nullptr : data + i * kLine);
  return true;
}

bool RaceCheck::is_in_order(const Scene& scene, const LineTrace& before,
                            const LineTrace& now) const {
  if (before.clock == 0 || may_meet(before, now)) return true;
  // By the same lanes, or by another warp, of all of whose lanes the same is known.
  if (before.who != now.who || before.tick == now.tick) return ordered(scene, before, now);
  if (before.same_lanes(now)) return before.pending == 0;
  for (std::uint32_t word = 0; word < Shadow::kWords; ++word)
    if (!ordered(scene, before.of(word), now.of(word))) return false;
  return true;
}

// `now`: a line's.
void RaceCheck::look_at_line(const Scene& scene, Shadow& shadow, Shadow::Line& line,
                             std::uint64_t address, TraceRef now, const std::byte* data) {
  const WordTraces& traces = shadow.traces();
  const LineTrace trace = traces.of_line(now);
  const Reader reader = reader_of(scene);
  if (!line.is_apart()) {
    const auto in_order = [&](TraceRef before) {
      return before == 0 || is_in_order(scene, traces.of_line(before), trace);
    };
    const bool changes =
        scene.writes && (line.write == 0 || std::memcmp(line.values, data, Shadow::kLine) != 0);
    if ((!(scene.reads || changes) || in_order(line.write)) &&
        (!changes || (in_order(line.read.read) && in_order(line.read.other_read)))) {
      if (!scene.writes) return shadow.note_read(line.read, now, trace.who, reader);
      line.write = now;
      if (changes) std::memcpy(shadow.values_of(line), data, Shadow::kLine);
      return;
    }
  } else if (!scene.writes &&
             shadow.note_words(line, trace, WordTraces::instruction_of(now), reader)) {
    return;
  }
  shadow.divide(line, scene.writes);
  for (std::uint32_t i = 0; i < Shadow::kWords; ++i) {
    std::uint32_t value = 0;
    if (data != nullptr) std::memcpy(&value, data + i * Shadow::kWord, sizeof value);
    const Trace of_word = trace.of(i);
    look_at_part(scene, shadow, Shadow::place_in(line, i), address + i * Shadow::kWord, of_word,
                 WordTraces::with_lane(WordTraces::instruction_of(now), of_word.lane), value,
                 reader);
  }
}

// What a lane learns at an atomic operation, a strong load, or an mbarrier.
void RaceCheck::learn(WarpId id, BlockTrack& track, unsigned lane, const Told& told) {
  if (told == nullptr) return;
  knowledge_.learn(id, told);
  const auto own = told->find(id.block);
  if (own == told->end() || own->second->size() <= id.warp) return;
  std::uint32_t& known = track.warps[id.warp].told[lane];
  known = std::max(known, (*own->second)[id.warp]);
}

void RaceCheck::add(Told& told, const Told& more) {
  if (more == nullptr || told == more) return;
  if (told == nullptr) {
    told = more;
    return;
  }
  auto both = std::make_shared<Knowledge::Told>(*told);
  Knowledge::join(*both, *more);
  told = std::move(both);
}

// A release is a fence, then an atomic operation or a strong store; an acquire is an atomic
// operation or a strong load that sees it. (That a fence follows is not asked for.)
void RaceCheck::synchronize(const Warp& warp, BlockTrack& track, const Access& access) {
  const WarpId id{track.number, warp.index};
  const Told to_all = knowledge_.told_by(id), to_block = knowledge_.told_by(id, Scope::block);
  const bool tells = access.kind != AccessKind::load && (to_all != nullptr || to_block != nullptr);
  const bool of_shared = access.space == Window::shared;
  if (!tells && !of_shared && told_at_.empty()) return;
  std::uint64_t last = ~std::uint64_t{0};
  for (const unsigned lane : access.lanes) {
    Place place{nullptr, access.address[lane]};
    if (of_shared) {
      place = shared_place(*warp.block, place.address);
      if (place.track == nullptr) continue;
    }
    auto& told_at = of_shared ? place.track->told_at : told_at_;
    const auto found =
        tells ? told_at.try_emplace(place.address).first : told_at.find(place.address);
    if (found == told_at.end()) continue;  // nobody has told anything there
    Release& release = found->second;
    if (access.kind != AccessKind::store) {
      learn(id, track, lane, release.to_all);
      const auto more = release.to_block.find(id.block);
      if (more != release.to_block.end()) learn(id, track, lane, more->second);
    }
    if (access.kind == AccessKind::load || access.address[lane] == last) continue;
    last = access.address[lane];
    if (access.kind == AccessKind::store) release = {};
    add(release.to_all, to_all);
    if (to_block != to_all) add(release.to_block[id.block], to_block);
  }
}

// Code compiled with -G hides which loads belong to loops around a compare-and-swap.
bool RaceCheck::may_meet(const Trace& one, const Trace& other) const {
  if (one.pending || other.pending) return false;
  if (for_debugging_ && (one.use() == Use::swap || other.use() == Use::swap)) return true;
  if (one.use() == Use::plain || other.use() == Use::plain) return false;
  return one.who.block == other.who.block || !(one.for_block || other.for_block);
}

bool RaceCheck::ordered(const Scene& scene, const Trace& before, const Trace& now) const {
  if (before.clock == 0) return true;
  if (before.pending) return false;
  if (before.who != now.who) {
    if (before.who == known_.who && before.clock <= known_.clock) return true;
    if (!knowledge_.knows(now.who, before.who, before.clock)) return false;
    known_ = {before.who, before.clock};
    return true;
  }
  if (before.tick == now.tick) return true;  // one instruction
  const WarpTrack& track = scene.track.warps[now.who.warp];
  return track.lanes.ordered(before.lane, before.tick, now.lane) ||
         track.told[now.lane] >= before.clock;
}

void RaceCheck::look_at_cell(const Scene& scene, Cell& cell, std::uint64_t address,
                             const Trace& now, std::uint32_t value) {
  const bool changes = scene.writes && (cell.write.clock == 0 || cell.value != value);
  if ((scene.reads || changes) && conflicts(scene, cell.write, now))
    report(scene, address, cell.write, now, true);
  if (changes)
    for (const Trace* before : {&cell.read, &cell.other_read})
      if (conflicts(scene, *before, now)) {
        report(scene, address, *before, now, false);
        break;
      }
  if (!scene.writes) return note_read(cell.read, cell.other_read, now);
  cell.write = now;
  cell.value = value;
}

// The same of a part of a line that stands for itself. `ref`: to `now`.
void RaceCheck::look_at_part(const Scene& scene, Shadow& shadow, const Shadow::Place& place,
                             std::uint64_t address, const Trace& now, TraceRef ref,
                             std::uint32_t value, const Reader& reader) {
  const WordTraces& traces = shadow.traces();
  WrittenPart* const written = place.written;
  const bool is_new = written == nullptr || written->write == 0;
  const bool changes = scene.writes && (is_new || written->value != value);
  if ((scene.reads || changes) && !is_new)
    if (const Trace before = traces.of(written->write); conflicts(scene, before, now))
      report(scene, address, before, now, true);
  if (changes && place.read != nullptr)
    for (const TraceRef before : {place.read->read, place.read->other_read})
      if (before != 0 && conflicts(scene, traces.of(before), now)) {
        report(scene, address, traces.of(before), now, false);
        break;
      }
  if (!scene.writes) return shadow.note_read(*place.read, ref, now.who, reader);
  *written = {ref, value};
}

// Where lanes of one plain store write different values to one place, which one stays is not
// defined. (Of a strong store one value stays; to let lanes compete so is no race.)
void RaceCheck::look_at_lanes_of_one_store(const Core& core, const Warp& warp, const Issue& issue,
                                           const Access& access) {
  if (access.adjoining || are_apart(access)) return;
  const Step& step = core.launch.program->steps[issue.pc];
  const isa::MemoryAccess kind = isa::memory_access(*step.instruction);
  if (kind.kind == isa::MemoryAccess::Kind::copy || kind.of == isa::MemoryAccess::Of::rows) return;
  const std::uint32_t* const data = source_row(warp, step.b);
  const auto differs = [&](unsigned one, unsigned other) {
    const std::uint32_t mask = access.width < 4 ? (1u << 8 * access.width) - 1 : ~0u;
    for (unsigned word = 0; word < std::max(1u, access.width / 4); ++word)
      if (((data[word * kWarpSize + one] ^ data[word * kWarpSize + other]) & mask) != 0)
        return true;
    return false;
  };
  std::array<std::uint8_t, kWarpSize> lanes{};
  unsigned count = 0;
  for (const unsigned lane : access.lanes) lanes[count++] = static_cast<std::uint8_t>(lane);
  std::sort(lanes.begin(), lanes.begin() + count, [&](unsigned one, unsigned other) {
    return access.address[one] < access.address[other];
  });
  for (unsigned i = 1; i < count; ++i) {
    const unsigned one = lanes[i - 1], other = lanes[i];
    if (access.address[one] != access.address[other] || !differs(one, other)) continue;
    Finding* const finding = findings_.note("races", "same_instruction", issue.pc);
    if (finding == nullptr) return;
    const Mask both = Mask::of(one) | Mask::of(other);
    finding->address = access.address[one];
    finding->message = fmt::format(
        "lanes {} of one instruction write different values to one place, {:#x}: which stays is "
        "not defined",
        lane_list(both), access.address[one]);
    finding->sides.push_back(side_of(findings_.request(), actor(warp, issue.pc, both),
                                     access_text(access.kind, access.width, access.space)));
    return;
  }
}

void RaceCheck::report(const Scene& scene, std::uint64_t address, const Trace& before,
                       const Trace& now, bool wrote_before) {
  if (report_copy(scene, address, before, now, wrote_before)) return;
  const char* const kind = !wrote_before  ? "write_after_read"
                           : !scene.reads ? "write_after_write"
                                          : "read_after_write";
  Finding* const finding = findings_.note("races", kind, now.pc, before.pc);
  if (finding == nullptr) return;
  const bool same_block = before.who.block == now.who.block;
  const Window space = scene.access.space;
  finding->address = address;
  finding->message = fmt::format("race in {} memory, at {:#x}: nothing orders these two accesses",
                                 space == Window::shared ? "shared" : "global", address);
  const auto side = [&](const Trace& trace, std::string what) {
    const Actor who{linear_[trace.who.block], trace.who.warp, Mask::of(trace.lane), trace.pc};
    finding->sides.push_back(side_of(findings_.request(), who, std::move(what)));
  };
  side(now, access_text(scene.access.kind, scene.access.width, space));
  const char* const earlier = before.use() >= Use::atomic ? "changed it, by an atomic operation"
                              : wrote_before              ? "wrote it"
                                                          : "read it";
  side(before, earlier);
  finding->details =
      before.who == now.who ? "lanes of one warp; __syncwarp() between the two orders them"
      : same_block          ? "warps of one block; __syncthreads() between the two orders them"
      : space == Window::shared
          ? "blocks of one cluster; cluster.sync() between the two orders them"
      : before.use() != Use::plain && now.use() != Use::plain
          ? "different blocks, and to other blocks an operation of block scope (_block) is neither "
            "atomic nor volatile; device scope makes it so"
          : "different blocks; atomic operations, a fence before a flag, a grid's barrier or two "
            "launches order them";
  if (space == Window::global)
    if (const Allocation* const allocation = scene.core.launch.memory->find(address))
      finding->details +=
          fmt::format("\nbyte {} of {}", address - allocation->address, describe(*allocation));
}

}  // namespace heddle::simulator::checks
