#include "traces/formats/advice_trace.hpp"

#include <fmt/format.h>

#include "traces/analysis/advice.hpp"

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
  std::string text = fmt::format("  {} warp instructions; of their lanes ", divergence.steps());
  const std::pair<std::uint64_t, const char*> parts[] = {
      {slots.used, "worked"},
      {slots.split, "were on another side of a branch"},
      {slots.predicated, "were switched off by a guard"},
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

}  // namespace

std::string AdviceTrace::text(std::uint64_t index, const simulator::LaunchRequest& request,
                              const simulator::LaunchOutcome&, const DivergenceWatch& watch) {
  std::string text = fmt::format(
      "{}  launch {}\n", simulator::visible(simulator::display_name(request.kernel->name)), index);
  text += budget_text(watch.divergence());
  const std::vector<Advice> all = advise(request, watch.divergence(), watch.regrouping());
  if (all.empty()) text += "  nothing here costs a hundredth of the issue slots\n";
  for (const Advice& advice : all)
    text += fmt::format("  * {}\n{}", simulator::visible(advice.title),
                        wrapped(simulator::visible(advice.text), 4));
  return text + "\n";
}

}  // namespace heddle::traces
