// --check races: what asynchronous copies do, and when it is done.
//
// cp.async and bulk copies out of shared memory are pending until their thread has waited for their
// group; then they count as done by that thread, there. Copies that an mbarrier counts are done by
// an agent, which tells the barrier how far it is. Nothing else tells of it: so nobody knows but
// threads that wait for a phase that ended behind the copy.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/attributes.hpp"
#include "simulator/checks/race_check.hpp"
#include "simulator/execute/cluster.hpp"
#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Mod;

// What its copies do is complete once the copy has been waited for.
struct Settled {
  const AsyncCopy& copy;
  WarpId issuer;
  Trace as;  // who counts as having done it, and when

  void operator()(Cell& cell, std::uint64_t, std::uint32_t) const {
    if (copy.writes) return settle(cell.write);
    settle(cell.read);
    settle(cell.other_read);
  }
  void settle(Trace& trace) const {
    if (!trace.pending || trace.who != issuer || trace.lane != copy.lane || trace.pc != copy.pc)
      return;
    trace.pending = false;
    trace.who = as.who;
    trace.clock = as.clock;
    trace.tick = as.tick;
  }
};

}  // namespace

RaceCheck::Place RaceCheck::shared_place(const Block& block, std::uint64_t address) {
  const Block* const owner = shared_owner(block, address);
  return {owner == nullptr ? nullptr : &track_of(*owner), address & kSharedOffset};
}

RaceCheck::Copies RaceCheck::copies_of(const isa::Instruction& in) {
  using Memory = isa::MemoryAccess;
  switch (in.op) {
    case isa::Op::UTMALDG:
      return Copies::counted;
    case isa::Op::UTMASTG:
    case isa::Op::UTMAREDG:
      return Copies::bulk;
    case isa::Op::HGMMA:
    case isa::Op::IGMMA:
    case isa::Op::QGMMA:
    case isa::Op::BGMMA:
      return Copies::product;
    default:
      break;
  }
  const Memory access = isa::memory_access(in);
  if (access.of == Memory::Of::counted) return Copies::counted;
  if (access.of == Memory::Of::bulk)
    return in.mod(Mod::to_shared) != 0 ? Copies::counted : Copies::bulk;
  return access.kind == Memory::Kind::copy ? Copies::element : Copies::none;
}

// Which part of an instruction's accesses is pending when it has executed.
bool RaceCheck::is_pending(Copies copies, const Access& access) {
  return copies == Copies::bulk || (copies == Copies::element && access.kind == AccessKind::store);
}

// The scoreboard that counts the group which an instruction closes.
unsigned RaceCheck::group_scoreboard(const isa::Instruction& in) {
  return isa::effect(in) == isa::Effect::end_copies ? in.control.write_barrier
                                                    : in.control.read_barrier;
}

void RaceCheck::begin_copies(Copies kind, const Issue& issue, const Access& access,
                             PendingCopies& copies) {
  for (const unsigned lane : access.lanes) {
    AsyncCopy copy;
    copy.address = access.address[lane];
    copy.bytes = access.width;
    copy.pc = issue.pc;
    copy.space = access.space;
    copy.kind = kind == Copies::element ? CopyKind::element : CopyKind::bulk;
    copy.lane = static_cast<std::uint8_t>(lane);
    copy.writes = access.kind != AccessKind::load;
    copies.begin(copy);
  }
}

// DEPBAR is what cp.async.wait_group leaves. That an instruction waits for the scoreboard too, as
// all do in code compiled with -G, is nothing that the program asked for.
void RaceCheck::wait_for_copies(const Warp& warp, WarpTrack& of_warp, const Issue& next) {
  const auto done = [&](const AsyncCopy& copy) { complete(warp, of_warp, copy); };
  const Watched& watched = watched_[next.pc];
  if (watched.waits_for_groups)
    of_warp.copies.wait(watched.scoreboard, next.on, watched.left, done);
  for (std::uint32_t waited = watched.scoreboards; waited != 0; waited &= waited - 1)
    of_warp.copies.wait(static_cast<unsigned>(std::countr_zero(waited)), next.on, 0, done);
}

// From here on the copy is something that its thread has done.
void RaceCheck::complete(const Warp& warp, WarpTrack& of_warp, const AsyncCopy& copy) {
  const WarpId id{track_of(*warp.block).number, warp.index};
  Settled settled{copy, id, {}};
  settled.as.who = id;
  settled.as.clock = knowledge_.clock(id);
  settled.as.tick = of_warp.lanes.tick();
  settle(warp, copy, settled);
}

template <typename F>
void RaceCheck::settle(const Warp& warp, const AsyncCopy& copy, const F& f) {
  if (copy.space == Window::global) return global_.for_each(copy.address, copy.bytes, f);
  const Place place = shared_place(*warp.block, copy.address);
  if (place.track != nullptr) shared_of(*place.track).for_each(place.address, copy.bytes, f);
}

// ARRIVES.LDGSTSBAR: an mbarrier counts the copies that the lanes have begun.
void RaceCheck::hand_over_copies(const Warp& warp, BlockTrack& track, const Issue& issue,
                                 const Access& access) {
  const WarpId id{track.number, warp.index};
  for (const unsigned lane : access.lanes) {
    const Mask bit = Mask::of(lane);
    const Place barrier = shared_place(*warp.block, access.address[lane]);
    if (barrier.track == nullptr) continue;
    const WarpId agent = agent_of(warp, barrier, bit, issue.pc);
    track.warps[warp.index].copies.hand_over(bit, [&](const AsyncCopy& copy) {
      Settled settled{copy, id, {}};
      settled.as.who = agent;
      settled.as.clock = knowledge_.clock(agent);
      settle(warp, copy, settled);
    });
    arrive_at(*warp.block, access.address[lane], knowledge_.told_by_agent(agent), 1);
  }
}

// Each warp that has copies counted at a barrier has an agent there.
WarpId RaceCheck::agent_of(const Warp& warp, const Place& barrier, Mask lanes, Pc pc) {
  MBarrier& state = barrier.track->mbarriers[barrier.address];
  const auto [found, is_new] = state.agents.try_emplace({warp.block->linear, warp.index}, WarpId{});
  if (is_new) found->second = knowledge_.add_agent(barrier.track->number);
  barrier.track->agents[found->second.warp] = {barrier.address, actor(warp, pc, lanes), false};
  return found->second;
}

// A thread that arrives leaves what it knows at the barrier.
void RaceCheck::arrive_at(const Block& block, std::uint64_t address, const Knowledge::Told& told,
                          unsigned arrivals) {
  const Place place = shared_place(block, address);
  if (place.track == nullptr) return;
  MBarrier& barrier = place.track->mbarriers[place.address];
  barrier.arrivals += arrivals;
  if (std::ranges::find(arrived_at_, address) == arrived_at_.end()) arrived_at_.push_back(address);
  if (told.empty()) return;
  auto all = barrier.arrived == nullptr ? std::make_shared<Knowledge::Told>()
                                        : std::make_shared<Knowledge::Told>(*barrier.arrived);
  Knowledge::join(*all, told);
  barrier.arrived = std::move(all);
}

// Where the instruction has ended a barrier's phase, those who wait for that will know what was
// told before.
void RaceCheck::end_phases(const Core& core, Block& block) {
  constexpr std::uint64_t kPhase = std::uint64_t{1} << 63, kCount = 0xf'ffff;
  for (const std::uint64_t address : arrived_at_) {
    const Place place = shared_place(block, address);
    const std::byte* const at = shared_view(core, block, address, sizeof(std::uint64_t));
    if (place.track == nullptr || at == nullptr) continue;
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    MBarrier& barrier = place.track->mbarriers[place.address];
    const bool phase = (word & kPhase) != 0;
    const std::uint64_t expected = (kCount + 1 - (word >> 1 & kCount)) & kCount;
    // Several arrivals at once may have ended two phases.
    if (phase != barrier.phase || expected <= barrier.arrivals) barrier.complete = barrier.arrived;
    barrier.phase = phase;
    barrier.arrivals = 0;
  }
  arrived_at_.clear();
}

// SYNCS: what makes, arrives at, and waits for an mbarrier.
void RaceCheck::look_at_mbarrier(const Core& core, const Warp& warp, BlockTrack& track,
                                 const Issue& issue, const Access& access) {
  const Step& step = core.launch.program->steps[issue.pc];
  const WarpId id{track.number, warp.index};
  if (isa::makes_shared_barrier(*step.instruction)) {
    const auto first = access.lanes.first();
    const Place place = shared_place(*warp.block, access.address[first]);
    if (place.track == nullptr) return;
    place.track->mbarriers.erase(place.address);
    return arrive_at(*warp.block, access.address[first], {}, 0);
  }
  if (access.kind == AccessKind::load) {
    const Mask over = warp.predicates[step.pu] & access.lanes;
    for (const unsigned lane : over) {
      const Place place = shared_place(*warp.block, access.address[lane]);
      if (place.track != nullptr)
        learn(id, track, lane, place.track->mbarriers[place.address].complete);
    }
    return;
  }
  const Told mine = knowledge_.told_by(id);
  std::uint64_t last = ~std::uint64_t{0};
  for (const unsigned lane : access.lanes) {
    if (access.address[lane] == last) continue;
    last = access.address[lane];
    arrive_at(*warp.block, last, mine == nullptr ? Knowledge::Told{} : *mine, access.lanes.count());
  }
}

// Bulk copies into shared memory, and stores that a barrier counts. Behind the pieces of data that
// go to a block stands the access to its barrier, which tells whose they are.
void RaceCheck::look_at_counted_copies(const Core& core, const Warp& warp, BlockTrack& track,
                                       const Issue& issue) {
  const isa::Instruction& in = *core.launch.program->steps[issue.pc].instruction;
  const bool by_lanes = isa::memory_access(in).of == isa::MemoryAccess::Of::counted;
  const auto is_barrier = [&](std::size_t i) {
    return by_lanes ? i % 2 == 1
                    : issue.accesses[i].kind == AccessKind::atomic && issue.accesses[i].width == 8;
  };
  for (std::size_t first = 0; first < issue.accesses.size();) {
    std::size_t last = first;
    while (last < issue.accesses.size() && !is_barrier(last)) ++last;
    if (last == issue.accesses.size()) return;
    const Access& at_barrier = issue.accesses[last];
    const auto lane = at_barrier.lanes.first();
    const Place barrier = shared_place(*warp.block, at_barrier.address[lane]);
    if (barrier.track == nullptr) continue;
    const WarpId agent = agent_of(warp, barrier, at_barrier.lanes, issue.pc);
    for (; first < last; ++first) {
      const Access& data = issue.accesses[first];
      const bool goes_there = data.space == Window::shared && data.kind != AccessKind::load;
      look_at(core, warp, track, issue, data, goes_there ? &agent : nullptr);
    }
    arrive_at(*warp.block, at_barrier.address[lane], knowledge_.told_by_agent(agent), 1);
    ++first;
  }
}

const RaceCheck::Agent* RaceCheck::agent_at(WarpId who) const {
  const auto track = blocks_.find(linear_[who.block]);
  if (track == blocks_.end()) return nullptr;
  const auto found = track->second.agents.find(who.warp);
  return found == track->second.agents.end() ? nullptr : &found->second;
}

// What to wait for, where nobody has.
bool RaceCheck::report_copy(const Scene& scene, std::uint64_t address, const Trace& before,
                            const Trace& now, bool wrote_before) {
  const Agent* const agent = agent_at(before.who);
  if (!before.pending && agent == nullptr) return false;
  if (agent != nullptr && agent->is_product) return report_product(scene, address, before, now);
  Finding* const finding =
      findings_.note("races", wrote_before ? "copy_not_awaited" : "copied_from", now.pc, before.pc);
  if (finding == nullptr) return true;
  const Window space = scene.access.space;
  finding->address = address;
  finding->message =
      fmt::format("{} {} memory, at {:#x}, {} an asynchronous copy that nothing has waited for",
                  scene.reads ? "reads" : "writes", space == Window::shared ? "shared" : "global",
                  address, wrote_before ? "which is the destination of" : "which is the source of");
  Actor issuer = agent != nullptr
                     ? agent->issuer
                     : Actor{linear_[before.who.block], before.who.warp, Mask::of(before.lane), 0};
  issuer.pc = before.pc;
  const Actor here{linear_[now.who.block], now.who.warp, Mask::of(now.lane), now.pc};
  finding->sides.push_back(side_of(findings_.request(), here,
                                   access_text(scene.access.kind, scene.access.width, space)));
  finding->sides.push_back(side_of(findings_.request(), issuer, "began the copy"));
  finding->details = agent != nullptr
                         ? fmt::format(
                               "the mbarrier at shared address {:#x} counts the copy: wait "
                               "there for the phase that it is part of",
                               agent->barrier)
                         : missing_wait(scene, before);
  return true;
}

std::string RaceCheck::missing_wait(const Scene& scene, const Trace& before) const {
  const auto track = blocks_.find(linear_[before.who.block]);
  if (track == blocks_.end()) return {};
  const PendingCopies& copies = track->second.warps[before.who.warp].copies;
  for (const AsyncCopy& copy : copies.all()) {
    if (copy.pc != before.pc || copy.lane != before.lane) continue;
    const bool bulk = copy.kind == CopyKind::bulk;
    const std::string_view prefix = bulk ? "cp.async.bulk" : "cp.async";
    const std::uint32_t later = copies.closed_since(copy.kind, copy.lane, copy.group);
    const std::string others =
        before.who == scene.id ? "" : ", and a barrier of the two threads behind it";
    if (later == 0)
      return fmt::format(
          "its group is still open: {}.commit_group, then {}.wait_group 0 in the thread that "
          "began it{}",
          prefix, prefix, others);
    return fmt::format(
        "its thread has committed {} group{} from that one on: it needs {}.wait_group {} or "
        "lower{}",
        later, later == 1 ? "" : "s", prefix, later - 1, others);
  }
  return {};
}

}  // namespace heddle::simulator::checks
