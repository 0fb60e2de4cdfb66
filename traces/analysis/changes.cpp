#include "traces/analysis/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/operands.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/memory.hpp"
#include "traces/analysis/lanes.hpp"
#include "traces/analysis/values.hpp"

namespace heddle::traces {
namespace {

using simulator::Access;
using simulator::AccessKind;
using simulator::CoreView;
using simulator::Group;
using simulator::Groups;
using simulator::Issue;
using simulator::kWarpSize;
using simulator::MicroOp;
using simulator::WarpView;
using simulator::Window;

constexpr unsigned kNoRow = ~0u;

// Whether the instruction's text has a destination at all: stores and branches have none.
unsigned first_row(const MicroOp& op) {
  const unsigned row = static_cast<unsigned>(op.d) / kWarpSize;
  return is_register(row) ? row : kNoRow;
}

unsigned row_count(const CoreView& core, std::uint32_t pc) {
  const MicroOp& op = core.instruction(pc);
  if (op.instruction == nullptr || first_row(op) == kNoRow) return 0;
  if (op.lane != nullptr)
    return std::min<unsigned>(isa::operand_widths(*op.instruction).destination, kMostWrittenRows);
  return std::clamp(core.access_bytes(pc) / 4, 1u, kMostWrittenRows);
}

// How many of `groups` have lanes in a set.
std::ptrdiff_t groups_with(Mask lanes, const Groups& groups) {
  return std::ranges::count_if(groups,
                               [&](const Group& group) { return (group.lanes & lanes).any(); });
}

std::string_view space_name(Window space) {
  switch (space) {
    case Window::global:
      return "global";
    case Window::shared:
      return "shared";
    case Window::local:
      return "local";
  }
  return "";
}

using LaneValues = std::array<std::uint64_t, kWarpSize>;

// The bytes at a lane's address as they are now; up to 8 of them.
std::uint64_t memory_value(const CoreView& core, const WarpView& warp, const Access& access,
                           unsigned lane) {
  const std::uint32_t bytes = std::min(access.width, 8u);
  const std::uint64_t address = access.address[lane];
  const std::byte* from = nullptr;
  if (access.space == Window::global)
    from = core.memory().view(address, bytes);
  else if (access.space == Window::shared)
    from = (address & 0xffff'ffff) + bytes <= warp.block().shared().size()
               ? warp.block().shared().data() + (address & 0xffff'ffff)
               : nullptr;
  else
    from = core.local(warp, lane, address, bytes);
  std::uint64_t value = 0;
  if (from != nullptr) std::memcpy(&value, from, bytes);
  return value;
}

std::string access_text(const CoreView& core, const WarpView& warp, const Access& access,
                        unsigned most) {
  const std::string where = fmt::format("{}[{}]", space_name(access.space),
                                        values_text(access.lanes, access.address, 64, most));
  if (access.kind == AccessKind::load) return fmt::format("from {}", where);
  LaneValues values{};
  for (const unsigned lane : access.lanes) values[lane] = memory_value(core, warp, access, lane);
  const unsigned bits = std::min(access.width, 8u) * 8;
  return fmt::format("{}={}{}", where, values_text(access.lanes, values, bits, most),
                     access.width > 8 ? " (first 8 of 16 bytes)" : "");
}

std::string register_text(const WarpView& warp, unsigned row, Mask lanes, unsigned most) {
  LaneValues values{};
  std::ranges::copy(warp.row(row), values.begin());
  return fmt::format("{}={}", register_name(row), values_text(lanes, values, 32, most));
}

// Where the lanes that executed an instruction are now.
std::string flow_text(const Changes& changes, const CoreView& core, const WarpView& warp,
                      const Issue& issue, Listing& listing) {
  std::string text;
  const auto add = [&text](const std::string& more) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", more);
  };
  if (changes.ended.any()) add(fmt::format("ends {}", lanes_text(changes.ended)));
  for (const Group& group : warp.groups()) {
    if ((group.lanes & issue.active).empty()) continue;
    if (group.wait != simulator::Wait::none)
      add(fmt::format("{} {}", lanes_text(group.lanes), wait_text(warp, group)));
    else if (changes.diverged || changes.reconverged)
      add(fmt::format("{} -> {}", lanes_text(group.lanes),
                      listing.pc_text(group.pc, core.request().kernel->name)));
  }
  if (changes.diverged) return "diverges: " + text;
  return changes.reconverged ? "reconverges: " + text : text;
}

}  // namespace

bool is_register(unsigned row) {
  return row < simulator::kDiscardRow ||
         (row >= simulator::kUniformRow && row < simulator::kUniformRow + isa::kUniformRegisters);
}

std::string register_name(unsigned row) {
  return row >= simulator::kUniformRow ? fmt::format("UR{}", row - simulator::kUniformRow)
                                       : fmt::format("R{}", row);
}

std::string predicate_name(unsigned index) {
  return index >= simulator::kUniformPredicates
             ? fmt::format("UP{}", index - simulator::kUniformPredicates)
             : fmt::format("P{}", index);
}

void ChangeWatch::before(const CoreView& core, const WarpView& warp, const Issue& next) {
  const unsigned first = first_row(core.instruction(next.pc));
  for (unsigned i = 0; first != kNoRow && i < kMostWrittenRows; ++i)
    std::ranges::copy(warp.row(first + i), rows_.data() + i * kWarpSize);
  predicates_ = warp.predicates();
  for (unsigned i = 0; i < barriers_.size(); ++i) barriers_[i] = warp.barrier(i);
  groups_ = warp.groups();
  live_ = warp.live();
}

Changes ChangeWatch::after(const CoreView& core, const WarpView& warp, const Issue& issue) const {
  const MicroOp& op = core.instruction(issue.pc);
  Changes changes;
  changes.lanes = issue.on;
  const unsigned first = first_row(op), declared = issue.on.any() ? row_count(core, issue.pc) : 0;
  for (unsigned i = 0; first != kNoRow && i < kMostWrittenRows && is_register(first + i); ++i)
    if (i < declared ||
        std::memcmp(rows_.data() + i * kWarpSize, warp.row(first + i).data(), 4 * kWarpSize) != 0)
      changes.rows.push_back(first + i);
  for (unsigned i = 0; i < simulator::kDiscardedPredicate; ++i)
    if (predicates_[i] != warp.predicates()[i] ||
        (issue.on.any() && op.instruction != nullptr && (i == op.pu || i == op.pv)))
      changes.predicates.push_back(i);
  for (unsigned i = 0; i < barriers_.size(); ++i)
    if ((barriers_[i] & warp.live()) != warp.barrier(i)) changes.barriers.push_back(i);
  changes.ended = live_ & ~warp.live();
  const Groups& groups = warp.groups();
  changes.diverged = groups_with(issue.active, groups) > 1;
  changes.reconverged = std::ranges::any_of(
      groups, [&](const Group& group) { return groups_with(group.lanes, groups_) > 1; });
  return changes;
}

std::string changes_text(const Changes& changes, const CoreView& core, const WarpView& warp,
                         const Issue& issue, Listing& listing, unsigned most) {
  std::string text;
  const auto add = [&text](const std::string& more) {
    if (!more.empty()) text += fmt::format("{}{}", text.empty() ? "" : "; ", more);
  };
  const Mask written = issue.on | core.writes_besides(issue.pc);
  for (const unsigned row : changes.rows) add(register_text(warp, row, written, most));
  for (const unsigned index : changes.predicates)
    add(index >= simulator::kUniformPredicates
            ? fmt::format("{}={}", predicate_name(index), warp.predicates()[index].any() ? 1 : 0)
            : fmt::format("{}={}", predicate_name(index),
                          lanes_text(warp.predicates()[index] & warp.live())));
  for (const Access& access : issue.accesses) add(access_text(core, warp, access, most));
  for (const unsigned index : changes.barriers)
    if (warp.barrier(index).any())
      add(fmt::format("B{}={}", index, lanes_text(warp.barrier(index))));
  add(flow_text(changes, core, warp, issue, listing));
  return text;
}

}  // namespace heddle::traces
