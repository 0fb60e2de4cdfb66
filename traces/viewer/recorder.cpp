#include "traces/viewer/recorder.hpp"

#include <algorithm>

#include "traces/analysis/written_rows.hpp"
#include "traces/viewer/row_codec.hpp"
#include "traces/viewer/varint.hpp"

namespace heddle::traces {

using simulator::Access;
using simulator::BlockView;
using simulator::CoreView;
using simulator::Group;
using simulator::Issue;
using simulator::kWarpSize;
using simulator::Mask;
using simulator::WarpView;

namespace {

// How what changed is named in WarpTrace::values.
constexpr std::uint32_t kPredicateNames = 256;  // P0 …, UP0 … at 264
constexpr std::uint32_t kBarrierNames = 280;    // B0 …
constexpr std::uint32_t kUniformNames = 320;    // UR0 …
constexpr std::uint32_t kUniformRegisters = isa::kUniformRegisters;

// The parts of a step in WarpTrace::flow that follow its first byte.
constexpr std::uint8_t kPcFollows = 1, kActiveFollows = 2, kOffFollows = 4, kPathFollows = 8,
                       kSituationFollows = 16, kTouchFollows = 32;

void put_u32(std::string& bytes, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
}

// Who is not executing, and why: the groups but the current one.
std::string situation_of(const WarpView& warp) {
  std::string bytes;
  const auto& groups = warp.groups();
  put_varint(bytes, groups.size() - 1);
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    const Group& group = groups[i];
    put_u32(bytes, group.lanes.bits());
    put_varint(bytes, group.pc);
    bytes += static_cast<char>(group.wait);
    bytes += static_cast<char>(group.index);
    put_u32(bytes, group.partners.bits());
  }
  return bytes;
}

std::string touch_of(std::span<const Access> accesses) {
  std::string bytes;
  put_varint(bytes, accesses.size());
  for (const Access& access : accesses) {
    bytes += static_cast<char>(access.kind);
    bytes += static_cast<char>(access.space);
    for (const std::uint32_t value :
         {access.width, access.lanes.count(), access.counts.sectors, access.counts.sectors_ideal,
          access.counts.tags, access.counts.wavefronts, access.counts.wavefronts_ideal})
      put_varint(bytes, value);
  }
  return bytes;
}

// Each lane's address as the difference to the lane before it; the first from 0.
void put_addresses(std::string& bytes, const Access& access) {
  put_u32(bytes, access.lanes.bits());
  std::uint64_t last = 0;
  for (const unsigned lane : access.lanes) {
    const std::uint64_t address = access.address[lane];
    put_varint(bytes, zigzag(address - last));
    last = address;
  }
}

// Appends one entry per name whose value changed, behind their number.
class ChangeWriter {
 public:
  void row(std::uint32_t name, Row now, std::span<std::uint32_t, kWarpSize> known, Mask usual) {
    if (std::ranges::equal(now, known)) return;
    begin(name);
    put_row(entries_, known, now, usual);
    std::ranges::copy(now, known.begin());
  }
  void uniform(std::uint32_t name, std::uint32_t now, std::uint32_t& known) {
    if (now == known) return;
    begin(name);
    put_varint(entries_, zigzag(now - known));
    known = now;
  }
  void mask(std::uint32_t name, Mask now, Mask& known) {
    if (now == known) return;
    begin(name);
    put_varint(entries_, (now ^ known).bits());
    known = now;
  }
  void append_to(std::string& bytes) const {
    put_varint(bytes, count_);
    bytes += entries_;
  }

 private:
  void begin(std::uint32_t name) {
    ++count_;
    put_varint(entries_, name);
  }
  std::string entries_;
  std::uint64_t count_ = 0;
};

// A row of the warp by its number; rows that nobody reads are left out.
void put_row_change(ChangeWriter& changes, const WarpView& warp, std::vector<std::uint32_t>& known,
                    std::uint32_t number, Mask usual) {
  const std::size_t at = std::size_t{number} * kWarpSize;
  if (number < simulator::kDiscardRow)
    changes.row(number, warp.row(number),
                std::span<std::uint32_t, kWarpSize>(known.data() + at, kWarpSize), usual);
  else if (number >= simulator::kUniformRow && number < simulator::kUniformRow + kUniformRegisters)
    changes.uniform(kUniformNames + number - simulator::kUniformRow, warp.row(number)[0],
                    known[at]);
}

}  // namespace

std::uint32_t Dictionary::index(const std::string& entry) {
  const auto [found, added] = index_.try_emplace(entry, size());
  if (added) bytes_ += entry;
  return found->second;
}

std::uint32_t Recorder::mask(Mask lanes) {
  std::string bytes;
  put_u32(bytes, lanes.bits());
  return masks_.index(bytes);
}

Recorder::Shadow& Recorder::shadow_of(const WarpView& warp) {
  return blocks_.at(warp.block().linear())[warp.index()];
}

void Recorder::block_started(const CoreView& core, const BlockView& block) {
  watch_.block_started(core, block);
  std::vector<Shadow>& shadows = blocks_[block.linear()];
  shadows.assign(block.warps(), {});
  for (Shadow& shadow : shadows) {
    shadow.recording = recorded_ < options_.max_steps;
    if (!shadow.recording) continue;
    const auto index = static_cast<std::uint32_t>(&shadow - shadows.data());
    shadow.trace = warps_.size();
    shadow.situation = situations_.index(std::string(1, '\0'));
    WarpTrace& trace = warps_.emplace_back();
    trace.block = block.linear();
    trace.warp = index;
    shadow.pc = ~0u;  // the first step is a jump from before the program
    shadow.rows.assign(std::size_t{simulator::kRowsPerWarp} * kWarpSize, 0);
    put_start(block.warp(index), shadow);
  }
}

void Recorder::block_ended(const CoreView& core, const BlockView& block) {
  watch_.block_ended(core, block);
  blocks_.erase(block.linear());
}

void Recorder::issuing(const CoreView& core, const WarpView& warp, const Issue& next) {
  next_ = next;
  watch_.issuing(core, warp, next);
  if (shadow_of(warp).recording) situation_ = situations_.index(situation_of(warp));
}

void Recorder::issued(const CoreView& core, const WarpView& warp, const Issue& issue) {
  watch_.issued(core, warp, issue);
  Shadow& shadow = shadow_of(warp);
  if (!shadow.recording || recorded_ == options_.max_steps) return;
  put_flow(shadow, issue.accesses.empty() ? 0 : 1 + touches_.index(touch_of(issue.accesses)));
  put_changes(core, warp, issue, shadow);
  if (const auto cycle = core.cycle()) warps_[shadow.trace].issued.push_back(*cycle);
  ++warps_[shadow.trace].steps;
  ++recorded_;
}

void Recorder::waited(const CoreView&, const WarpView& warp, const simulator::Waited& wait) {
  const auto block = blocks_.find(warp.block().linear());
  if (block == blocks_.end() || recorded_ == options_.max_steps) return;
  const Shadow& shadow = block->second[warp.index()];
  if (!shadow.recording || wait.reason == "selected" || wait.until <= wait.from) return;
  std::vector<simulator::Waited>& waits = warps_[shadow.trace].waits;
  const bool goes_on =
      !waits.empty() && waits.back().reason == wait.reason && waits.back().until == wait.from;
  if (goes_on)
    waits.back().until = wait.until;
  else
    waits.push_back(wait);
}

// The step as seen before it executes. A step without a guard, in sequence, is one zero byte.
void Recorder::put_flow(Shadow& shadow, std::uint32_t touched) {
  std::string parts;
  std::uint8_t flags = 0;
  if (next_.pc != shadow.pc + 1) {
    flags |= kPcFollows;
    put_varint(parts, zigzag(next_.pc - (shadow.pc + 1)));
  }
  if (next_.active != shadow.active) {
    flags |= kActiveFollows;
    put_varint(parts, mask(next_.active));
  }
  if (const Mask off = next_.active & ~next_.on; off.any()) {
    flags |= kOffFollows;
    put_varint(parts, mask(off));
  }
  if (watch_.path() != shadow.path) {
    flags |= kPathFollows;
    put_varint(parts, watch_.path());
  }
  if (situation_ != shadow.situation) {
    flags |= kSituationFollows;
    put_varint(parts, situation_);
  }
  if (touched != 0) {
    flags |= kTouchFollows;
    put_varint(parts, touched - 1);
  }
  std::string& flow = warps_[shadow.trace].flow;
  flow += static_cast<char>(flags);
  flow += parts;
  shadow.pc = next_.pc;
  shadow.active = next_.active;
  shadow.path = watch_.path();
  shadow.situation = situation_;
}

// Every row of a warp that is not zero when it starts.
void Recorder::put_start(const WarpView& warp, Shadow& shadow) {
  ChangeWriter changes;
  for (std::uint32_t number = 0; number < simulator::kRowsPerWarp; ++number)
    put_row_change(changes, warp, shadow.rows, number, simulator::kFullMask);
  changes.append_to(warps_[shadow.trace].values);
}

void Recorder::put_changes(const CoreView& core, const WarpView& warp, const Issue& issue,
                           Shadow& shadow) {
  ChangeWriter changes;
  for_written_rows(core.instruction(issue.pc), [&](std::uint32_t number) {
    put_row_change(changes, warp, shadow.rows, number, issue.on);
  });
  for (std::uint32_t i = 0; i < shadow.predicates.size(); ++i)
    if (i != simulator::kPT)
      changes.mask(kPredicateNames + i, warp.predicates()[i], shadow.predicates[i]);
  for (std::uint32_t i = 0; i < shadow.barriers.size(); ++i)
    changes.mask(kBarrierNames + i, warp.barrier(i), shadow.barriers[i]);
  std::string& bytes = warps_[shadow.trace].values;
  changes.append_to(bytes);
  for (const Access& access : issue.accesses) put_addresses(bytes, access);
}

}  // namespace heddle::traces
