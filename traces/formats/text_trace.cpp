#include "traces/formats/text_trace.hpp"

#include <fmt/format.h>

#include "traces/analysis/lanes.hpp"

namespace heddle::traces {
namespace {

using simulator::CoreView;
using simulator::Dim3;
using simulator::Issue;
using simulator::WarpView;

constexpr std::string_view kColumns =
    "    step   block warp    pc  lanes                             instruction";

// The end of a long name says more than its beginning.
std::string cut_to(std::string text, std::size_t most) {
  return text.size() <= most ? text : "~" + text.substr(text.size() - most + 1);
}

std::string dim_text(const Dim3& dim) { return fmt::format("({},{},{})", dim.x, dim.y, dim.z); }

}  // namespace

TextTrace::TextTrace(const TraceOptions& options)
    : options_(options),
      kernels_(options.kernel),
      file_(simulator::file_or_stderr(options.file)),
      last_flush_(std::chrono::steady_clock::now()) {}

void TextTrace::write_head() {
  file_->write(
      "# Heddle's text trace: one line for each instruction that a warp executes, in the order in\n"
      "# which they execute.\n"
      "#   step   instructions that this launch executed before it; of a timed launch, the cycle\n"
      "#   block  its number in the grid;  warp: its number in the block\n"
      "#   pc     bytes from the start of the function\n"
      "#   lanes  the warp's 32 threads, the first at the left, at the moment it executes:\n");
  for (const std::string_view line : kLaneLegend)
    file_->write(fmt::format("#          {}\n", line));
  file_->write(
      "#   then the instruction, its source line, and what it changed: registers (a value that "
      "lanes\n"
      "#   share stands once), predicates as the set of lanes where they hold, memory, and how "
      "lanes\n"
      "#   diverge, wait and reconverge\n");
  head_written_ = true;
}

simulator::Observer* TextTrace::begin_launch(std::uint64_t index,
                                             const simulator::LaunchRequest& request,
                                             const simulator::GpuModel& gpu) {
  if (!kernels_.matches(request.kernel->name)) return nullptr;
  if (!head_written_) write_head();
  file_->write(fmt::format("\nlaunch {}: {}  grid {}  block {}  on {}\n{}\n", index,
                           simulator::visible(simulator::display_name(request.kernel->name)),
                           dim_text(request.grid), dim_text(request.block), gpu.name, kColumns));
  listing_.emplace(*request.module);
  divergences_ = lines_ = left_out_ = 0;
  masks_.clear();
  return this;
}

void TextTrace::end_launch(const simulator::LaunchOutcome& outcome) {
  if (outcome.fault)
    file_->write(fmt::format("stopped: {}\n", simulator::visible_lines(outcome.fault->message())));
  if (left_out_ != 0) file_->write(fmt::format("({} more lines: --trace-count)\n", left_out_));
  listing_.reset();
  file_->flush();
  file_->check();
}

void TextTrace::block_ended(const CoreView&, const simulator::BlockView& block) {
  for (std::uint32_t warp = 0; warp < block.warps(); ++warp) masks_.erase({block.linear(), warp});
}

void TextTrace::issuing(const CoreView& core, const WarpView& warp, const Issue& next) {
  flush_now_and_then();
  // Divergences are counted over all that these warps execute.
  watching_ =
      options_.blocks.contains(warp.block().linear()) && options_.warps.contains(warp.index());
  if (!watching_) return;
  watch_.before(core, warp, next);
  bar_ = lane_bar(core, warp, next.active, next.on);
  step_ = core.cycle().value_or(core.issued());
}

void TextTrace::issued(const CoreView& core, const WarpView& warp, const Issue& issue) {
  if (!watching_) return;
  const Changes changes = watch_.after(core, warp, issue);
  if (changes.diverged) ++divergences_;
  if (divergences_ < options_.from_divergence || !is_wanted(core, warp, issue)) return;
  if (lines_ == options_.most_lines) {
    ++left_out_;
    return;
  }
  ++lines_;
  write_line(core, warp, issue, changes);
}

bool TextTrace::masks_changed(const WarpView& warp, const Issue& issue) {
  std::pair<Mask, Mask>& last = masks_[{warp.block().linear(), warp.index()}];
  const std::pair<Mask, Mask> now{issue.active, issue.on};
  return std::exchange(last, now) != now;
}

bool TextTrace::is_wanted(const CoreView&, const WarpView& warp, const Issue& issue) {
  if (options_.mask_changes && !masks_changed(warp, issue)) return false;
  const Listing::Line& line = listing_->at(issue.pc);
  if (!options_.pcs.contains(line.offset)) return false;
  if (options_.lines.all()) return true;
  if (!options_.source_file.empty() && !line.file.ends_with(options_.source_file)) return false;
  return line.line != 0 && options_.lines.contains(line.line);
}

void TextTrace::write_line(const CoreView& core, const WarpView& warp, const Issue& issue,
                           const Changes& changes) {
  constexpr unsigned kMostValues = 4;
  constexpr std::size_t kSourceColumn = 24;
  const Listing::Line& line = listing_->at(issue.pc);
  std::string text = fmt::format(
      "{:>8} {:>7} {:>4}  {:>4}  {}  {:<46} {:<{}} {}", step_, warp.block().linear(), warp.index(),
      listing_->pc_text(issue.pc, core.request().kernel->name), bar_, simulator::visible(line.text),
      cut_to(simulator::visible(line.source()), kSourceColumn), kSourceColumn,
      changes_text(changes, core, warp, issue, *listing_,
                   options_.all_values ? simulator::kWarpSize : kMostValues));
  text.erase(text.find_last_not_of(' ') + 1);
  file_->write(text + '\n');
}

// Often enough to be followed live, not for every line.
void TextTrace::flush_now_and_then() {
  constexpr auto kLongest = std::chrono::milliseconds(50);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_flush_ <= kLongest) return;
  file_->flush();
  last_flush_ = now;
}

}  // namespace heddle::traces
