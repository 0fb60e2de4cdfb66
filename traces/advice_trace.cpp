#include "traces/advice_trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "traces/advice.hpp"

namespace heddle::traces {
namespace {

std::FILE* open_file(const std::string& path) {
  if (path.empty()) return nullptr;
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot write " + path);
  return file;
}

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

AdviceTrace::AdviceTrace(const TraceOptions& options)
    : kernels_(options.kernel), own_file_(open_file(options.file), &std::fclose) {}

simulator::Observer* AdviceTrace::begin_launch(std::uint64_t index,
                                               const simulator::LaunchRequest& request,
                                               const simulator::GpuModel&) {
  if (!kernels_.matches(request.kernel->name)) return nullptr;
  index_ = index;
  request_ = &request;
  return &watch_.emplace();
}

void AdviceTrace::end_launch(const simulator::LaunchOutcome&) {
  std::string text = fmt::format(
      "{}  launch {}\n", simulator::visible(simulator::demangled(request_->kernel->name)), index_);
  text += budget_text(watch_->divergence());
  const std::vector<Advice> all = advise(*request_, watch_->divergence(), watch_->regrouping());
  if (all.empty()) text += "  nothing here costs a hundredth of the issue slots\n";
  for (const Advice& advice : all)
    text += fmt::format("  * {}\n{}", simulator::visible(advice.title),
                        wrapped(simulator::visible(advice.text), 4));
  text += '\n';
  std::FILE* file = own_file_ ? own_file_.get() : stderr;
  std::fputs(text.c_str(), file);
  std::fflush(file);
  watch_.reset();
}

}  // namespace heddle::traces
