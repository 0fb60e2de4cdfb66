#include "traces/formats/advice_trace.hpp"

#include <fmt/format.h>

#include "simulator/base/display_numbers.hpp"
#include "traces/analysis/advice.hpp"
#include "traces/analysis/launch_advice.hpp"
#include "traces/analysis/launch_cost.hpp"
#include "traces/analysis/stall_advice.hpp"

namespace heddle::traces {
namespace {

// Lines of at most 96 characters, broken at blanks, each behind `indent` of them.
std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 96;
  std::string result(indent, ' ');
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > indent && column + 1 + (end - at) > kWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result.append(text, at, end - at);
    column += end - at;
    at = end + 1;
  }
  return result + "\n";
}

std::string budget_text(const Divergence& divergence) {
  const SlotBudget& slots = divergence.slots();
  const double total = static_cast<double>(std::max<std::uint64_t>(1, slots.total()));
  std::string text = fmt::format("  {} warp instructions; of their lanes ",
                                 simulator::readable_whole(divergence.steps()));
  const std::pair<std::uint64_t, const char*> parts[] = {
      {slots.used, "executed"},
      {slots.split, "were on another side of a branch"},
      {slots.predicated, "were predicated off"},
      {slots.held, "waited elsewhere"},
      {slots.ended, "had ended"},
      {slots.never_started, "have no thread"}};
  const char* between = "";
  for (const auto& [part, what] : parts) {
    if (part == 0) continue;
    text += fmt::format("{}{:.1f} % {}", between, 100 * static_cast<double>(part) / total, what);
    between = ", ";
  }
  return text + "\n";
}

// "1,024 cycles of SMs: 40 % issue …": what shares are of.
std::string cost_text(const DivergenceWatch& watch) {
  const double cost = launch_cost(watch);
  const AccessWatch& accesses = watch.accesses();
  if (cost <= 0) return {};
  const double passes = kPassCycles * static_cast<double>(accesses.passes()),
               atomics = kCollisionCycles * static_cast<double>(accesses.collisions()),
               sectors = kSectorCycles * static_cast<double>(accesses.sectors()),
               issue = kIssueCycles * static_cast<double>(watch.divergence().steps());
  std::string text = fmt::format("keeps SMs busy for {} cycles:", simulator::readable_whole(cost));
  const std::pair<double, const char*> parts[] = {{issue, "issue instructions"},
                                                  {passes, "pass shared memory"},
                                                  {sectors, "move sectors"},
                                                  {atomics, "repeat atomics"}};
  const char* between = "";
  for (const auto& [cycles, what] : parts) {
    if (cycles == 0) continue;
    text += fmt::format("{} {:.1f} % {}", between, 100 * cycles / cost, what);
    between = ",";
  }
  return wrapped(text, 2);
}

}  // namespace

std::string AdviceTrace::text(std::uint64_t index, const simulator::LaunchRequest& request,
                              const simulator::GpuModel& gpu,
                              const simulator::LaunchOutcome& outcome,
                              const DivergenceWatch& watch) {
  std::string text = fmt::format(
      "{}  launch {}\n", simulator::visible(simulator::display_name(request.kernel->name)), index);
  text += budget_text(watch.divergence());
  text += cost_text(watch);
  if (const std::string shape = shape_text(request, gpu); !shape.empty()) text += wrapped(shape, 2);
  if (outcome.fault)  // what it would have done is not known
    return text + "  no advice: the launch did not complete\n\n";
  std::vector<Advice> all = advise(request, watch, &gpu);
  Listing listing(*request.module);
  for (Advice& advice : stall_advice(request, outcome.timing, listing))
    all.push_back(std::move(advice));
  if (all.empty()) text += "  nothing above 2 % to gain\n";
  for (const Advice& advice : all)
    text += fmt::format("  * {}\n{}", simulator::visible(advice.title),
                        wrapped(simulator::visible(advice.text), 4));
  return text + "\n";
}

}  // namespace heddle::traces
