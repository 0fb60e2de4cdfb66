#include "simulator/timing/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace heddle::simulator::timing {
namespace {

// Student's t, two-sided 95 %, by degrees of freedom.
double student(std::size_t freedom) {
  constexpr std::array kTable{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23,
                              2.20,  2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09};
  constexpr double kNormal = 1.96, kFurther = 2.04;
  if (freedom == 0) return kTable[0];
  if (freedom <= kTable.size()) return kTable[freedom - 1];
  return freedom <= 30 ? kTable.back() : freedom <= 60 ? kFurther : kNormal;
}

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
  const double mean = std::accumulate(waves.begin(), waves.end(), 0.0) / count;
  double squares = 0;
  for (const double wave : waves) squares += (wave - mean) * (wave - mean);
  const double variance = waves.size() > 1 ? squares / (count - 1) : mean * mean;
  const double skipped = static_cast<double>(blocks_ - timed_) / static_cast<double>(resident_);
  // Of the mean, and of as many waves as it stands for.
  const double error = std::sqrt(variance * (skipped * skipped / count + skipped));
  return {skipped * mean, student(waves.size() - 1) * error};
}

void scale(Result& result, const Sample& sample, const Sample::Extra& extra, std::uint64_t blocks) {
  const double factor = static_cast<double>(blocks) / static_cast<double>(sample.timed_blocks());
  const auto cycles = static_cast<std::uint64_t>(std::llround(extra.cycles));
  result.elapsed += cycles;
  result.active_max += cycles;
  result.active_sum += cycles * result.sms;
  for (auto* sum : {&result.issued, &result.warp_cycles, &result.eligible_cycles})
    multiply(*sum, factor);
  for (std::uint64_t& stall : result.stalls) multiply(stall, factor);
  for (StallCycles& at : result.stalls_at)
    for (std::uint64_t& stall : at) multiply(stall, factor);
  Traffic& traffic = result.traffic;
  for (Lookups* lookups :
       {&traffic.l1_global_load, &traffic.l1_global_store, &traffic.l1_local, &traffic.l1_atomic,
        &traffic.l2_read, &traffic.l2_write, &traffic.l2_atomic})
    multiply(*lookups, factor);
  multiply(traffic.dram_sectors_read, factor);
  multiply(traffic.dram_sectors_written, factor);
  result.sampled = {sample.timed_blocks(), blocks, extra.half_width};
}

std::string note_on_sample(const Result& result) {
  if (!result.note.empty())
    return fmt::format("time: in full, --sample does not hold: {}", result.note);
  if (!result.sampled) return {};
  const Result::Sampled& sampled = *result.sampled;
  const auto elapsed = static_cast<double>(result.elapsed);
  return fmt::format("time: scaled from {} of {} blocks; {:.0f} to {:.0f} cycles elapsed (95 %)",
                     sampled.blocks_timed, sampled.blocks, elapsed - sampled.half_width,
                     elapsed + sampled.half_width);
}

}  // namespace heddle::simulator::timing
