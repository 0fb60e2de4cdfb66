#include "traces/stepper/step_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "simulator/base/display_names.hpp"
#include "traces/analysis/lanes.hpp"
#include "traces/analysis/values.hpp"

namespace heddle::traces {
namespace {

using simulator::Group;
using simulator::Groups;
using simulator::kWarpSize;
using simulator::visible;
using simulator::Wait;
using simulator::WarpView;
using Look = ViewLine::Look;

const Group* current_group(const Stepper& stepper) {
  const std::optional<WarpView> warp = stepper.warp();
  return warp ? warp->current() : nullptr;
}

// A waiting group's pc is already past the instruction that it waits at.
std::uint32_t place_of(const Group& group) {
  const bool is_next = group.wait == Wait::none || group.wait == Wait::reconvergence;
  return is_next || group.pc == 0 ? group.pc : group.pc - 1;
}

std::string pc_text(Stepper& stepper, std::uint32_t pc) {
  return stepper.listing().pc_text(pc, stepper.request().kernel->name);
}

// What stands beside an instruction: the groups other than the current one that are there.
std::string groups_at(const Stepper& stepper, std::uint32_t pc) {
  std::string text;
  const std::optional<WarpView> warp = stepper.warp();
  if (!warp) return text;
  for (const Group& group : warp->groups())
    if (&group != current_group(stepper) && place_of(group) == pc)
      text += fmt::format("  <- {}{}", lanes_text(group.lanes),
                          group.wait == Wait::none ? "" : " waits");
  return text;
}

bool has_breakpoint(Stepper& stepper, const Listing::Line& line) {
  return std::ranges::any_of(stepper.breakpoints, [&](const Breakpoint& breakpoint) {
    return breakpoint.place().matches(line, stepper.request().kernel->name);
  });
}

std::array<std::uint64_t, kWarpSize> row_values(const WarpView& warp, unsigned row) {
  std::array<std::uint64_t, kWarpSize> values;
  std::ranges::copy(warp.row(row), values.begin());
  return values;
}

bool is_uniform(const std::array<std::uint64_t, kWarpSize>& values, Mask lanes) {
  const unsigned first = lanes.empty() ? 0 : lanes.first();
  bool same = true;
  for (const unsigned lane : lanes) same &= values[lane] == values[first];
  return same;
}

constexpr unsigned kHexDigits = 8, kNumberDigits = 13;

std::string word_text(std::uint64_t word, ValueForm form) {
  return form == ValueForm::hex ? fmt::format("{:08x}", word)
                                : fmt::format("{:>{}}", value_text(word, 32, form), kNumberDigits);
}

ViewLine register_line(const Stepper& stepper, const WarpView& warp, unsigned row, unsigned lane,
                       ValueForm form) {
  constexpr unsigned kMostValues = 4;
  const auto values = row_values(warp, row);
  const bool changed = std::ranges::count(stepper.changes().rows, row) != 0;
  const Mask live = warp.live();
  std::string text = fmt::format("{}{:<5} {}", changed ? '*' : ' ', register_name(row),
                                 word_text(values[lane], form));
  if (row < simulator::kUniformRow && !is_uniform(values, live))
    text += fmt::format("  {}", values_text(live, values, 32, kMostValues, form));
  return {text, changed ? Look::changed : Look::plain};
}

ViewLine predicate_line(const Stepper& stepper, const WarpView& warp, unsigned index) {
  const bool changed = std::ranges::count(stepper.changes().predicates, index) != 0;
  const Mask live = warp.live();
  const Mask holds = warp.predicates()[index] & live;
  const bool uniform = index >= simulator::kUniformPredicates;
  return {fmt::format("{}{:<5} {}", changed ? '*' : ' ', predicate_name(index),
                      uniform         ? (warp.predicates()[index].any() ? "1" : "0")
                      : holds == live ? "all"
                                      : lanes_text(holds)),
          changed ? Look::changed : Look::plain};
}

void add_calls(Stepper& stepper, Pane& pane) {
  const auto calls = stepper.calls();
  if (calls.empty()) return;
  pane.push_back({"call stack", Look::title});
  if (const Listing::Line* line = line_here(stepper))
    pane.push_back({fmt::format("  {}", visible(simulator::display_name(line->function)))});
  for (std::size_t i = calls.size(); i-- > 0;)
    pane.push_back({fmt::format("  called at {} {}", pc_text(stepper, calls[i]),
                                visible(stepper.listing().at(calls[i]).source()))});
}

}  // namespace

const Listing::Line* line_here(Stepper& stepper) {
  const Group* group = current_group(stepper);
  return group != nullptr ? &stepper.listing().at(group->pc) : nullptr;
}

unsigned register_count(const Stepper& stepper) {
  return std::min<unsigned>(stepper.request().kernel->registers, isa::kRZ);
}

std::string place_text(Stepper& stepper) {
  const auto& request = stepper.request();
  return fmt::format("{}  block {} of {}  warp {} of {}  step {}",
                     visible(simulator::display_name(request.kernel->name)), stepper.block(),
                     request.grid.count(), stepper.warp_index(),
                     (request.block.count() + kWarpSize - 1) / kWarpSize, stepper.replay().step());
}

Pane lanes_pane(Stepper& stepper, unsigned lane) {
  const std::optional<WarpView> warp = stepper.warp();
  std::string bar(kWarpSize, ' ');
  std::string instruction = "(this warp is not on the GPU now)";
  if (warp) {
    Mask active, on;
    instruction = warp->finished() ? "(this warp has ended)" : "(waits)";
    if (const Group* group = current_group(stepper)) {
      const simulator::MicroOp& step = stepper.replay().core().instruction(group->pc);
      active = group->lanes;
      on = active & warp->predicate(step.guard);
      instruction = visible(stepper.listing().at(group->pc).text);
    }
    bar = lane_bar(stepper.replay().core(), *warp, active, on);
  }
  return {{"lanes  0       8       16      24", Look::dim},
          {fmt::format("       {}   {}", bar, instruction), Look::current},
          {fmt::format("       {:>{}}", fmt::format("^{}", lane), lane + 1 + (lane < 10 ? 1 : 2)),
           Look::dim}};
}

Pane listing_pane(Stepper& stepper, int height) {
  Pane pane;
  const Group* group = current_group(stepper);
  const auto here =
      static_cast<std::int64_t>(group != nullptr ? group->pc : stepper.replay().core().entry());
  const auto end = static_cast<std::int64_t>(stepper.listing().size()) - 1;
  for (std::int64_t pc = here - height / 3; static_cast<int>(pane.size()) < height; ++pc) {
    if (pc < 0 || pc >= end) {
      pane.push_back({});
      if (pc >= end) break;
      continue;
    }
    const auto index = static_cast<std::uint32_t>(pc);
    const Listing::Line& line = stepper.listing().at(index);
    const bool current = group != nullptr && pc == here;
    pane.push_back({fmt::format("{}{} {:>4}  {}{}", has_breakpoint(stepper, line) ? '*' : ' ',
                                current ? '>' : ' ', pc_text(stepper, index), visible(line.text),
                                groups_at(stepper, index)),
                    current ? Look::current : Look::plain});
  }
  return pane;
}

std::vector<Listing::Line::Call> source_places(Stepper& stepper) {
  std::vector<Listing::Line::Call> places;
  const auto add = [&](const Listing::Line& line) {
    if (line.line != 0) places.push_back({line.file, line.line});
    places.insert(places.end(), line.calls.begin(), line.calls.end());
  };
  if (const Listing::Line* line = line_here(stepper)) add(*line);
  const auto calls = stepper.calls();
  for (std::size_t i = calls.size(); i-- > 0;) add(stepper.listing().at(calls[i]));
  return places;
}

Pane source_pane(Stepper& stepper, const Listing::Line::Call& place,
                 const std::vector<std::string>& lines, int height) {
  if (place.line == 0) return {{"(no source line is known here)", Look::dim}};
  // Of a call that is shown in place of what it called, and of what is inlined, the way there.
  std::string title;
  for (const Listing::Line::Call& each : source_places(stepper))
    title += fmt::format("{}{}:{}", title.empty() ? "" : ", called at ",
                         std::filesystem::path(each.file).filename().string(), each.line);
  Pane pane{{visible(title), Look::title}};
  if (lines.empty()) {
    pane.push_back({fmt::format("({} was not found)", visible(place.file)), Look::dim});
    return pane;
  }
  const std::int64_t first = std::max<std::int64_t>(1, std::int64_t{place.line} - (height - 1) / 2);
  for (std::int64_t number = first;
       number <= static_cast<std::int64_t>(lines.size()) && static_cast<int>(pane.size()) < height;
       ++number) {
    const bool current = number == place.line;
    pane.push_back({fmt::format("{}{:>5}  {}", current ? '>' : ' ', number,
                                visible(lines[static_cast<std::size_t>(number - 1)])),
                    current ? Look::current : Look::plain});
  }
  return pane;
}

Pane groups_pane(Stepper& stepper) {
  Pane pane{{"groups", Look::title}};
  const std::optional<WarpView> warp = stepper.warp();
  if (!warp) return pane;
  const Groups& groups = warp->groups();
  for (std::size_t i = groups.size(); i-- > 0;) {
    const Group& group = groups[i];
    const bool current = &group == current_group(stepper);
    const std::string state = current                    ? "executes next"
                              : group.wait == Wait::none ? "waiting its turn"
                                                         : wait_text(*warp, group);
    pane.push_back({fmt::format("{} {:<10} {:>4}  {}", current ? '>' : ' ', lanes_text(group.lanes),
                                pc_text(stepper, place_of(group)), state),
                    current ? Look::current : Look::plain});
  }
  const Mask ended = launched_lanes(stepper.replay().core(), *warp) & ~warp->live();
  if (ended.any()) pane.push_back({fmt::format("  {:<10}       ended", lanes_text(ended))});
  std::string barriers;
  for (unsigned i = 0; i < simulator::kConvergenceBarriers; ++i)
    if (const Mask lanes = warp->barrier(i); lanes.any())
      barriers += fmt::format("  B{}={}", i, lanes_text(lanes));
  pane.push_back({"convergence barriers", Look::title});
  pane.push_back({barriers.empty() ? "  none" : barriers});
  add_calls(stepper, pane);
  return pane;
}

Pane variables_pane(Stepper& stepper) {
  Pane pane;
  if (!stepper.warp()) return pane;
  for (const Variables::Value& each :
       stepper.variables().values(*stepper.warp(), stepper.listing()))
    pane.push_back({fmt::format(" {} = {}", visible(each.name), visible(each.text))});
  if (!pane.empty()) pane.insert(pane.begin(), {"variables", Look::title});
  return pane;
}

Pane registers_pane(Stepper& stepper, unsigned lane, ValueForm form) {
  Pane pane{{fmt::format("registers (lane {}; others where they differ)", lane), Look::title}};
  const std::optional<WarpView> warp = stepper.warp();
  if (!warp) return pane;
  for (unsigned index = 0; index < isa::kPT; ++index)
    if (warp->predicates()[index].any() ||
        std::ranges::count(stepper.changes().predicates, index) != 0)
      pane.push_back(predicate_line(stepper, *warp, index));
  for (unsigned row = 0; row < register_count(stepper); ++row)
    pane.push_back(register_line(stepper, *warp, row, lane, form));
  for (unsigned i = 0; i < isa::kPT; ++i)
    if (warp->predicates()[simulator::kUniformPredicates + i].any())
      pane.push_back(predicate_line(stepper, *warp, simulator::kUniformPredicates + i));
  for (unsigned i = 0; i < isa::kUniformRegisters; ++i) {
    const unsigned row = simulator::kUniformRow + i;
    if (warp->row(row)[0] != 0) pane.push_back(register_line(stepper, *warp, row, lane, form));
  }
  return pane;
}

int table_column(ValueForm form) {
  return static_cast<int>(1 + (form == ValueForm::hex ? kHexDigits : kNumberDigits));
}

Pane table_pane(Stepper& stepper, unsigned first, unsigned count, ValueForm form) {
  Pane pane;
  const std::optional<WarpView> warp = stepper.warp();
  if (!warp) return pane;
  const unsigned end = std::min(first + count, register_count(stepper));
  std::string heading = "lane ";
  for (unsigned row = first; row < end; ++row)
    heading += fmt::format("{:>{}}", register_name(row), table_column(form));
  pane.push_back({heading, Look::title});
  const Group* group = current_group(stepper);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const bool active = group != nullptr && group->lanes.has(lane);
    std::string text = fmt::format("{}{:>3} ", active ? '>' : ' ', lane);
    for (unsigned row = first; row < end; ++row)
      text += ' ' + word_text(warp->row(row)[lane], form);
    pane.push_back({text, active ? Look::current : Look::plain});
  }
  return pane;
}

}  // namespace heddle::traces
