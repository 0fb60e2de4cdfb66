#include "simulator/checks/hazard_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "isa/attributes.hpp"
#include "simulator/checks/hazard_latencies.hpp"

namespace heddle::simulator::checks {
namespace {

using timing::Course;
using timing::kNoScoreboard;
using timing::kScoreboards;

// A scoreboard counts up a cycle behind the issue; who issues in the next cycle does not see it.
constexpr std::uint64_t kCountingDelay = 2;

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

bool is_predicate(unsigned place) {
  return place >= kPredicatePlace && place < kUniformPredicatePlace;
}

}  // namespace

void HazardCheck::begin(const LaunchRequest&) {
  blocks_.clear();
  module_ = nullptr;  // another one may lie where the last one did
}

void HazardCheck::prepare(const Core& core) {
  const Module* const module = core.launch.request->module;
  if (module_ == module) return;
  if (core.launch.model->timing == nullptr)
    throw std::runtime_error(fmt::format("--check hazards: the model of {} has no timing constants",
                                         core.launch.model->name));
  module_ = module;
  std::string code = module->code_sha256();
  if (code == code_) return;
  code_ = std::move(code);
  timed_ = timing::time_program(module->program(), *core.launch.model->timing);
  decoded_.clear();
}

void HazardCheck::block_started(const Core& core, const Block& block) {
  prepare(core);
  auto& warps = blocks_[block.linear];
  for (std::size_t i = 0; i < block.warps.size(); ++i)
    warps.push_back(std::make_unique<WarpTrack>());
}

void HazardCheck::block_ended(const Core&, const Block& block) { blocks_.erase(block.linear); }

const HazardCheck::Decoded& HazardCheck::decoded(std::uint32_t pc) {
  const auto [found, is_new] = decoded_.try_emplace(pc);
  if (!is_new) return found->second;
  const isa::Instruction& in = *module_->program().instructions[pc];
  Decoded& result = found->second;
  result.uses = register_uses(in);
  result.timed = timed_.instructions[pc];
  result.is_memory = result.timed.course == Course::memory;
  result.predicate_scoreboard = guards_of_predicates(in, result.timed);
  return result;
}

// Units answer in order, and ptxas counts on it: who has waited for a later instruction's
// scoreboard need not wait for those before it. Which unit that was is not asked.
bool HazardCheck::is_settled(const WarpTrack& track, const Pending& pending) const {
  const auto& settled = track.settled;
  if (pending.scoreboard < kScoreboards && pending.sequence <= settled[pending.scoreboard])
    return true;
  return pending.sequence < *std::ranges::max_element(settled);
}

// What the instruction waits for has happened when it issues.
void HazardCheck::wait(WarpTrack& track, const Decoded& in) const {
  const timing::Timed& timed = in.timed;
  for (unsigned i = 0; i < kScoreboards; ++i) {
    std::deque<std::uint64_t>& counted = track.counted[i];
    std::size_t left = counted.size();
    if ((timed.wait_mask >> i & 1) != 0) left = 0;
    if (timed.depbar_scoreboard == i && timed.course == Course::depbar)
      left = std::min<std::size_t>(left, timed.depbar_count);
    const bool unseen = !counted.empty() && track.now - track.last_count[i] < kCountingDelay;
    if (unseen && left == 0) left = 1;
    while (counted.size() > left) {
      track.settled[i] = counted.front();
      counted.pop_front();
    }
  }
}

void HazardCheck::issuing(const Core&, const Warp& warp, const Issue& next) {
  if (next.pc >= module_->program().instructions.size() ||
      !module_->program().instructions[next.pc])
    return;
  WarpTrack& track = *blocks_.at(warp.block->linear)[warp.index];
  const Decoded& in = decoded(next.pc);
  ++track.sequence;
  wait(track, in);
  look_at_reads(warp, track, next, in);
  if (next.on != 0) look_at_writes(warp, track, next, in);
  note_issue(track, next, in);
  track.now += std::max<unsigned>(in.timed.stall, 1);
}

void HazardCheck::look_at_reads(const Warp& warp, WarpTrack& track, const Issue& next,
                                const Decoded& in) {
  const isa::Instruction& reader = *module_->program().instructions[next.pc];
  const auto look = [&](unsigned place, bool as_guard) {
    const Pending& result = track.results[place];
    const Mask readers = as_guard ? next.active : next.on;
    if ((result.lanes & readers) == 0) return;
    if (result.fixed) {
      const isa::Instruction& writer = *module_->program().instructions[result.pc];
      const std::uint64_t passed = track.now - result.since;
      const unsigned needed = least_latency(writer, reader, place, as_guard);
      if (passed >= needed) return;
      return report(warp, next, "too_early", result,
                    fmt::format("{} is used {} cycle{} after it was computed; that takes {} at "
                                "least",
                                place_name(place), passed, passed == 1 ? "" : "s", needed),
                    "the stall counts from the first instruction on are too small");
    }
    if (is_settled(track, result)) return;
    report(warp, next, "not_awaited", result,
           fmt::format("{} is used, and nothing has waited for it", place_name(place)),
           result.scoreboard == kNoScoreboard
               ? "the instruction that computes it sets no scoreboard"
               : fmt::format("it is guarded by scoreboard {}", result.scoreboard));
  };
  if (in.uses.guard != kPlaces) look(in.uses.guard, true);
  if (next.on == 0) return;
  for (const std::uint16_t place : in.uses.reads) look(place, false);
}

void HazardCheck::look_at_writes(const Warp& warp, WarpTrack& track, const Issue& next,
                                 const Decoded& in) {
  for (const std::uint16_t place : in.uses.writes) {
    const Pending& result = track.results[place];
    if ((result.lanes & next.on) != 0 && !result.fixed && result.scoreboard < kScoreboards &&
        !is_settled(track, result) && result.scoreboard != in.timed.write_scoreboard)
      report(warp, next, "overwritten_result", result,
             fmt::format("{} is written while an earlier result for it may still come",
                         place_name(place)),
             fmt::format("that is guarded by scoreboard {}", result.scoreboard));
    // A result that comes by the memory unit comes behind the reads of what that took before.
    const Pending& source = track.sources[place];
    if (!in.is_memory && (source.lanes & next.on) != 0 && !is_settled(track, source))
      report(warp, next, "overwritten_source", source,
             fmt::format("{} is written while an earlier instruction may still have to read it",
                         place_name(place)),
             source.scoreboard == kNoScoreboard
                 ? "that instruction sets no scoreboard"
                 : fmt::format("it is guarded by scoreboard {}", source.scoreboard));
  }
}

void HazardCheck::note_issue(WarpTrack& track, const Issue& next, const Decoded& in) {
  const timing::Timed& timed = in.timed;
  for (const std::uint8_t board : {timed.write_scoreboard, timed.read_scoreboard})
    if (board < kScoreboards) {
      track.counted[board].push_back(track.sequence);
      track.last_count[board] = track.now;
    }
  if (next.on == 0) return;
  const bool guarded = is_guarded(timed);
  for (const std::uint16_t place : in.uses.writes) {
    const std::uint8_t guard =
        is_predicate(place) ? in.predicate_scoreboard : timed.write_scoreboard;
    track.results[place] = {next.on, next.pc, track.now, track.sequence, guard, !guarded};
  }
  // Where none guards them ptxas overwrites the sources of a load at once.
  const std::uint8_t board = timed.read_scoreboard;
  if (in.is_memory && board != kNoScoreboard)
    for (const std::uint16_t place : in.uses.reads)
      if (place < kUniformPlace)
        track.sources[place] = {next.on, next.pc, track.now, track.sequence, board, false};
  // Who has waited for a result knows that what it was computed from was read.
  for (const std::uint16_t place : in.uses.writes) track.sources[place].lanes &= ~next.on;
}

void HazardCheck::report(const Warp& warp, const Issue& next, const char* kind,
                         const Pending& pending, std::string message, std::string details) {
  Finding* const finding = findings_.note("hazards", kind, next.pc, pending.pc);
  if (finding == nullptr) return;
  finding->message = std::move(message);
  finding->sides.push_back(side_of(findings_.request(), actor(warp, next.pc, next.on), "issues"));
  finding->sides.push_back(
      side_of(findings_.request(), actor(warp, pending.pc, pending.lanes), "issued before"));
  finding->details = std::move(details);
}

}  // namespace heddle::simulator::checks
