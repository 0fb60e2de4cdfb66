#include "simulator/checks/hazard_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "isa/attributes.hpp"
#include "simulator/checks/hazard_latencies.hpp"

namespace heddle::simulator::checks {
namespace {

using timing::Course;
using timing::kNoScoreboard;
using timing::kScoreboards;

bool is_group_product(const isa::Instruction& in) {
  constexpr unsigned kRowsOfWarpgroup = 64;
  return isa::facts(in).work == isa::Work::product &&
         isa::matrix_product(in).shape.m == kRowsOfWarpgroup;
}

// Whether results come after a time the hardware decides.
bool is_guarded(const timing::Timed& timed) {
  switch (timed.course) {
    case Course::special:
    case Course::variable:
    case Course::shuffle:
    case Course::memory:
    case Course::constant:
      return true;
    default:
      return false;
  }
}

// Whether an atomic operation at a generic address has met global memory is known once it has read
// its sources: ptxas waits for the scoreboard of these, and has none for the result where that goes
// to RZ.
std::uint8_t guards_of_predicates(const isa::Instruction& in, const timing::Timed& timed) {
  const isa::MemoryAccess access = isa::memory_access(in);
  const bool is_generic_atomic =
      access.kind == isa::MemoryAccess::Kind::atomic && access.space == isa::Space::generic;
  return is_generic_atomic ? timed.read_scoreboard : timed.write_scoreboard;
}

std::string what_guards(std::uint8_t scoreboard) {
  return scoreboard == kByGroup
             ? "it is a product's: wgmma.wait_group (WARPGROUP.DEPBAR) is missing"
             : fmt::format("it is guarded by scoreboard {}", scoreboard);
}

bool is_predicate(unsigned place) {
  return place >= kPredicatePlace && place < kUniformPredicatePlace;
}

}  // namespace

void HazardCheck::begin(const LaunchRequest&) {
  blocks_.clear();
  last_warps_ = nullptr;
  module_ = nullptr;  // another one may lie where the last one did
}

void HazardCheck::prepare(const Core& core) {
  const Module* const module = core.launch.request->module;
  if (module_ == module) return;
  if (core.launch.model->timing == nullptr)
    throw std::runtime_error(fmt::format("--check hazards: the model of {} has no timing constants",
                                         core.launch.model->name));
  module_ = module;
  if (code_ == module->code_sha256()) return;
  code_ = module->code_sha256();
  timed_ = timing::time_program(module->program(), *core.launch.model->timing);
  decoded_.assign(module->program().instructions.size(), {});
  places_.clear();
  states_.clear();
}

void HazardCheck::block_started(const Core& core, const Block& block) {
  prepare(core);
  blocks_[block.linear].resize(block.warps.size());
}

void HazardCheck::block_ended(const Core&, const Block& block) {
  const auto found = blocks_.find(block.linear);
  if (found == blocks_.end()) return;
  for (Followed& warp : found->second)
    if (warp.track != nullptr) spare_.push_back(std::move(warp.track));
  blocks_.erase(found);
  last_warps_ = nullptr;
}

HazardCheck::Followed& HazardCheck::followed(const Warp& warp) {
  if (last_warps_ == nullptr || last_block_ != warp.block->linear) {
    last_block_ = warp.block->linear;
    last_warps_ = &blocks_.at(last_block_);
  }
  return (*last_warps_)[warp.index];
}

void HazardCheck::decode(std::uint32_t pc) {
  Decoded& result = decoded_[pc];
  const isa::Instruction& in = *module_->program().instructions[pc];
  const timing::Timed& timed = timed_.instructions[pc];
  const RegisterUses uses = register_uses(in);
  result.places = static_cast<std::uint32_t>(places_.size());
  result.reads = static_cast<std::uint8_t>(uses.reads.count);
  result.writes = static_cast<std::uint8_t>(uses.writes.count);
  places_.insert(places_.end(), uses.reads.begin(), uses.reads.end());
  places_.insert(places_.end(), uses.writes.begin(), uses.writes.end());
  result.guard = static_cast<std::uint16_t>(uses.guard);
  result.stall = std::max<std::uint8_t>(timed.stall, 1);
  result.waits_for = timed.wait_mask;
  if (timed.course == Course::depbar) {
    result.counted_by = timed.depbar_scoreboard;
    result.left = timed.depbar_count;
  }
  result.write_scoreboard = timed.write_scoreboard;
  result.read_scoreboard = timed.read_scoreboard;
  result.predicate_scoreboard = guards_of_predicates(in, timed);
  // Only a reader that is a wide product needs less.
  result.latency = static_cast<std::uint8_t>(
      std::max(least_latency(in, in, 0, false), least_latency(in, in, kUniformPlace, false)));
  result.is_guarded = is_guarded(timed);
  result.is_memory = timed.course == Course::memory;
  if (in.op == isa::Op::WARPGROUP && in.mod(isa::Mod::le) != 0)
    result.groups_left = static_cast<std::uint8_t>(in.mod(isa::Mod::sb_count));
  if (!is_group_product(in)) return;
  constexpr unsigned kEnd = 84, kBits = 3;
  result.is_product = result.is_guarded = true;
  result.ends_group = in.word.bits(kEnd, kBits) == 0;
  result.write_scoreboard = result.read_scoreboard = kByGroup;
}

// What the instruction waits for has happened when it issues.
void HazardCheck::wait(HazardTrack& track, const Decoded& in) {
  if (!in.waits()) return;
  for (unsigned left = in.waits_for; left != 0; left &= left - 1)
    track.wait(static_cast<unsigned>(std::countr_zero(left)), 0);
  if (in.counted_by < kScoreboards && (in.waits_for >> in.counted_by & 1) == 0)
    track.wait(in.counted_by, in.left);
  if (in.groups_left != kNoGroupWait) track.wait_for_groups(in.groups_left);
}

// Others are followed by the run.
bool HazardCheck::looks_before(const Step& step) const {
  return step.lane == nullptr || step.guard.index != kPT || step.guard.invert.any();
}

void HazardCheck::issuing(const Core&, const Warp& warp, const Issue& next) {
  happens(warp, {next.pc, next.pc, next.active, next.on});
}

void HazardCheck::passed(const Warp& warp, Pc first, Pc end, Mask active) {
  happens(warp, {first, end, active, active});
}

void HazardCheck::happens(const Warp& warp, const HazardEvent& event) {
  Followed& found = followed(warp);
  if (!found.state.is_known() || !states_.advance(found.state, event))
    look_closely(warp, found, event);
}

// A state in which something is to be reported is not learned, so that each report is counted.
void HazardCheck::look_closely(const Warp& warp, Followed& followed, const HazardEvent& event) {
  constexpr std::uint32_t kUntilFound = 64;  // events; to find a state costs less than these
  if (event.first >= decoded_.size() || !module_->program().instructions[event.first]) return;
  if (followed.track == nullptr) {
    if (spare_.empty()) spare_.push_back(std::make_unique<HazardTrack>());
    followed.track = std::move(spare_.back());
    spare_.pop_back();
  }
  HazardTrack& track = *followed.track;
  const HazardState before = followed.state;
  if (before.is_known()) {
    states_.restore(before, track);
    followed.state.number = HazardState::kUnknown;
    followed.without_number = 0;
  }
  const std::uint64_t reports = reports_;
  Pc pc = event.first;
  do {
    follow({warp, track, pc, event.active, event.on});
  } while (++pc < event.end);
  if (before.is_known() && reports_ == reports) {
    followed.state = states_.learn(before, event, track);
  } else if (++followed.without_number == kUntilFound) {
    followed.state = states_.find(track, event.first);
    followed.without_number = 0;
  }
}

void HazardCheck::follow(const Execution& now) {
  HazardTrack& track = now.track;
  const Decoded& in = decoded(now.pc);
  ++track.sequence;
  wait(track, in);
  if (in.guard != kPlaces && (track.results.lanes[in.guard] & now.active).any())
    look_at_read(now, in.guard, true);
  const std::uint16_t* const reads = places_.data() + in.places;
  const std::uint16_t* const writes = reads + in.reads;
  const std::uint16_t* const end = now.on.empty() ? writes : writes + in.writes;
  if (now.on.any())
    for (const std::uint16_t* place = reads; place != writes; ++place)
      if ((track.results.lanes[*place] & now.on).any() && !adds_to_product(track, in, *place))
        look_at_read(now, *place, false);
  for (const std::uint16_t* place = writes; place != end; ++place)
    if (((track.results.lanes[*place] | track.sources.lanes[*place]) & now.on).any())
      look_at_write(now, in, *place);
  if (in.write_scoreboard != kNoScoreboard || in.read_scoreboard != kNoScoreboard) count(track, in);
  if (in.ends_group) track.group_ends[track.groups++ % HazardTrack::kKeptGroups] = track.sequence;
  for (const std::uint16_t* place = writes; place != end; ++place) {
    const std::uint8_t guard = is_predicate(*place) ? in.predicate_scoreboard : in.write_scoreboard;
    track.results.lanes[*place] = now.on;
    track.results.of[*place].set(track, now.pc, guard, !in.is_guarded);
  }
  // Where none guards them ptxas overwrites the sources of a load at once.
  if ((in.is_memory || in.is_product) && now.on.any() && in.read_scoreboard != kNoScoreboard)
    for (const std::uint16_t* place = reads; place != writes; ++place)
      if (*place < kUniformPlace) {
        track.sources.lanes[*place] = now.on;
        track.sources.of[*place].set(track, now.pc, in.read_scoreboard, false);
      }
  // Who has waited for a result knows that what it was computed from was read.
  for (const std::uint16_t* place = writes; place != end; ++place)
    track.sources.lanes[*place] &= ~now.on;
  track.now += in.stall;
}

// Products on one sum follow one another without a wait.
bool HazardCheck::adds_to_product(const HazardTrack& track, const Decoded& in,
                                  unsigned place) const {
  if (!in.is_product || track.results.of[place].scoreboard != kByGroup) return false;
  const std::uint16_t* const writes = places_.data() + in.places + in.reads;
  return std::find(writes, writes + in.writes, place) != writes + in.writes;
}

void HazardCheck::count(HazardTrack& track, const Decoded& in) {
  for (const std::uint8_t board : {in.write_scoreboard, in.read_scoreboard})
    if (board < kScoreboards) {
      track.counted[board].push_back(track.sequence);
      track.last_count[board] = track.now;
    }
}

void HazardCheck::look_at_read(const Execution& now, unsigned place, bool as_guard) {
  HazardTrack& track = now.track;
  const HazardTrack::Pending& result = track.results.of[place];
  const Mask lanes = track.results.lanes[place];
  if (result.fixed) {
    const std::uint64_t passed = track.now - result.since;
    if (passed >= kMostLatency) track.results.lanes[place] = Mask();
    if (passed >= kMostLatency || (!as_guard && passed >= decoded_[result.pc].latency)) return;
    const auto& code = module_->program().instructions;
    const unsigned needed = least_latency(*code[result.pc], *code[now.pc], place, as_guard);
    if (passed >= needed) return;
    return report(now, "too_early", result, lanes,
                  fmt::format("{} is used {} cycle{} after it was computed; that takes {} at "
                              "least",
                              place_name(place), passed, passed == 1 ? "" : "s", needed),
                  "the stall counts from the first instruction on are too small");
  }
  if (track.is_settled(result)) {
    track.results.lanes[place] = Mask();
    return;
  }
  report(now, "not_awaited", result, lanes,
         fmt::format("{} is used before anything has waited for it", place_name(place)),
         result.scoreboard == kNoScoreboard ? "the instruction that computes it sets no scoreboard"
                                            : what_guards(result.scoreboard));
}

// Loads from shared memory answer in order, whichever scoreboards they have: ptxas lets one
// overwrite what nobody needs of another.
bool HazardCheck::answer_in_order(Pc before, Pc now) const {
  const auto& code = module_->program().instructions;
  const auto loads_shared = [&](Pc pc) {
    const isa::MemoryAccess access = isa::memory_access(*code[pc]);
    return access.kind == isa::MemoryAccess::Kind::load && access.space == isa::Space::shared;
  };
  return loads_shared(before) && loads_shared(now);
}

void HazardCheck::look_at_write(const Execution& now, const Decoded& in, unsigned place) {
  HazardTrack& track = now.track;
  const HazardTrack::Pending& result = track.results.of[place];
  const Mask results = track.results.lanes[place], sources = track.sources.lanes[place];
  const bool is_awaited = result.scoreboard < kScoreboards || result.scoreboard == kByGroup;
  if ((results & now.on).any() && !result.fixed && is_awaited && !track.is_settled(result) &&
      result.scoreboard != in.write_scoreboard && !answer_in_order(result.pc, now.pc))
    report(now, "overwritten_result", result, results,
           fmt::format("{} is written while an earlier result for it may still come",
                       place_name(place)),
           what_guards(result.scoreboard));
  // A result that comes by the memory unit comes behind the reads of what that took before.
  const HazardTrack::Pending& source = track.sources.of[place];
  if (!in.is_memory && (sources & now.on).any() && !track.is_settled(source))
    report(now, "overwritten_source", source, sources,
           fmt::format("{} is written while an earlier instruction may still have to read it",
                       place_name(place)),
           source.scoreboard == kNoScoreboard ? "that instruction sets no scoreboard"
                                              : what_guards(source.scoreboard));
}

void HazardCheck::report(const Execution& now, const char* kind,
                         const HazardTrack::Pending& pending, Mask lanes, std::string message,
                         std::string details) {
  ++reports_;
  Finding* const finding = findings_.note("hazards", kind, now.pc, pending.pc);
  if (finding == nullptr) return;
  finding->message = std::move(message);
  finding->sides.push_back(side_of(findings_.request(), actor(now.warp, now.pc, now.on), "issues"));
  finding->sides.push_back(
      side_of(findings_.request(), actor(now.warp, pending.pc, lanes), "issued before"));
  finding->details = std::move(details);
}

}  // namespace heddle::simulator::checks
