#include "simulator/timing/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulator/timing/statistics.hpp"

namespace heddle::simulator::timing {
namespace {

template <typename Count>
void multiply(Count& count, double factor) {
  count = static_cast<Count>(std::llround(static_cast<double>(count) * factor));
}

void multiply(Lookups& lookups, double factor) {
  multiply(lookups.sectors, factor);
  multiply(lookups.hits, factor);
}

}  // namespace

Sample::Sample(std::uint64_t blocks, std::uint64_t resident, double part)
    : blocks_(blocks), resident_(std::max<std::uint64_t>(1, resident)), timed_(blocks) {
  const std::uint64_t waves = blocks / resident_;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(waves)));
  const std::uint64_t kept = std::max(wanted, kLeastWaves);
  if (kept >= waves) return;
  // Runs of timed waves with gaps between them; what does not fill a wave ends the last run.
  const std::uint64_t runs = std::max<std::uint64_t>(2, kept / kWavesInARun), gaps = runs - 1;
  const std::uint64_t skipped = waves - kept;
  std::uint64_t next = 0;
  for (std::uint64_t gap = 0; gap < gaps; ++gap) {
    next += (kept * (gap + 1) / runs - kept * gap / runs) * resident_;
    const std::uint64_t length = (skipped * (gap + 1) / gaps - skipped * gap / gaps) * resident_;
    if (length != 0) left_out_.push_back({next, next + length});
    next += length;
  }
  timed_ = blocks_ - skipped * resident_;
}

Sample::Extra Sample::extra(const std::vector<Cycle>& ends) const {
  // The first wave fills empty SMs, and behind the last full one places stay empty.
  std::vector<double> waves;
  for (std::size_t i = resident_; i + 2 * resident_ <= ends.size() + 1; i += resident_)
    waves.push_back(static_cast<double>(ends[i + resident_ - 1] - ends[i - 1]));
  if (waves.empty()) return {};
  const auto count = static_cast<double>(waves.size());
  const auto [mean, variance] = spread(waves);
  const double skipped = static_cast<double>(blocks_ - timed_) / static_cast<double>(resident_);
  // Of the mean, and of as many waves as it stands for.
  const double error = std::sqrt(variance * (skipped * skipped / count + skipped));
  return {skipped * mean, student(waves.size() - 1) * error};
}

void scale_sums(Result& result, double factor) {
  for (auto* sum : {&result.issued, &result.warp_cycles}) multiply(*sum, factor);
  for (std::uint64_t& stall : result.stalls) multiply(stall, factor);
  for (StallCycles& at : result.stalls_at)
    for (std::uint64_t& stall : at) multiply(stall, factor);
  for (Lookups Traffic::*lookups : kLookups) multiply(result.traffic.*lookups, factor);
  multiply(result.traffic.dram_sectors_read, factor);
  multiply(result.traffic.dram_sectors_written, factor);
}

void scale(Result& result, const Sample& sample, const Sample::Extra& extra, std::uint64_t blocks) {
  const auto cycles = static_cast<std::uint64_t>(std::llround(extra.cycles));
  result.elapsed += cycles;
  result.active_max += cycles;
  result.active_sum += cycles * result.sms;
  scale_sums(result, static_cast<double>(blocks) / static_cast<double>(sample.timed_blocks()));
  result.sampled = {sample.timed_blocks(), blocks,
                    extra.half_width + Sample::kDrift * extra.cycles};
}

std::string note_on_sample(const Result& result) {
  if (!result.note.empty() && !result.sampled)
    return fmt::format("time: in full, --sample does not hold: {}", result.note);
  if (!result.sampled) return {};
  const Result::Sampled& sampled = *result.sampled;
  const auto elapsed = static_cast<double>(result.elapsed);
  const std::string interval =
      fmt::format("{:.0f} to {:.0f} cycles elapsed (95 %)", elapsed - sampled.half_width,
                  elapsed + sampled.half_width);
  if (sampled.slices == 0)
    return fmt::format("time: scaled from {} of {} blocks; {}", sampled.blocks_timed,
                       sampled.blocks, interval);
  return fmt::format(
      "time: scaled from {} of about {} warp instructions, measured in {} slices, {}; {}. Counts "
      "are scaled from {} of {} blocks. Most others are not executed: what they compute is not "
      "there",
      sampled.instructions_timed, result.issued, sampled.slices, result.note, interval,
      sampled.blocks_executed, sampled.blocks);
}

}  // namespace heddle::simulator::timing
