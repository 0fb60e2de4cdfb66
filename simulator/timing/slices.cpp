#include "simulator/timing/slices.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/timing/sample.hpp"
#include "simulator/timing/statistics.hpp"

namespace heddle::simulator::timing {
namespace {

void add_difference(Traffic& sum, const Traffic& before, const Traffic& after) {
  const auto add = [](std::uint64_t& to, std::uint64_t first, std::uint64_t last) {
    to += last - first;
  };
  for (Lookups Traffic::*lookups : kLookups) {
    add((sum.*lookups).sectors, (before.*lookups).sectors, (after.*lookups).sectors);
    add((sum.*lookups).hits, (before.*lookups).hits, (after.*lookups).hits);
  }
  add(sum.dram_sectors_read, before.dram_sectors_read, after.dram_sectors_read);
  add(sum.dram_sectors_written, before.dram_sectors_written, after.dram_sectors_written);
}

void add_sums(Result& sum, const Result& each) {
  sum.issued += each.issued;
  sum.traffic += each.traffic;
  for (std::size_t pc = 0; pc < each.stalls_at.size(); ++pc)
    for (std::size_t stall = 0; stall < kStalls; ++stall)
      sum.stalls_at[pc][stall] += each.stalls_at[pc][stall];
}

}  // namespace

Slices::Slices(std::uint64_t instructions, std::uint64_t blocks, std::uint64_t resident)
    : blocks_(blocks),
      wave_(std::clamp<std::uint64_t>(resident, 1, blocks)),
      budget_(instructions),
      rest_(blocks_ % wave_) {}

void Slices::add_beginning(Cycle cycles, Result sums) {
  beginning_cycles_ = cycles;
  beginning_ = std::move(sums);
}

double Slices::length() const { return spread(lengths_).mean; }

double Slices::in_a_slice() const {
  return static_cast<double>(budget_ - instructions_at_first()) / (kFullWaves + 1);
}

// A slice ends before its blocks do, unless others are there to take their places.
Slices::Wave Slices::wave(std::uint64_t first, std::uint64_t blocks, double part) const {
  constexpr double kMostOfTheRest = 0.8;
  const double here = static_cast<double>(blocks) * (1 - part) * kMostOfTheRest;
  const auto behind = static_cast<double>(blocks_ - first - blocks);
  return {first, blocks, part, static_cast<std::uint64_t>(length() * part),
          static_cast<std::uint64_t>(std::min(in_a_slice(), (here + behind) * length()))};
}

std::vector<Slices::Wave> Slices::waves() const {
  constexpr std::uint64_t kLast = kFullWaves - 1;
  // Blocks that begin during a slice.
  const auto begun = static_cast<std::uint64_t>(in_a_slice() / length());
  const bool holds_waves = begun >= 2 * wave_;
  const std::uint64_t places = blocks_ - wave_ - std::min(blocks_ - wave_, begun);
  std::vector<Wave> waves;
  for (std::uint64_t i = 0; i < kFullWaves; ++i)
    waves.push_back(wave(places * i / kLast, wave_,
                         holds_waves ? 0 : (static_cast<double>(i) + 0.5) / kFullWaves));
  if (rest_ != 0 && !holds_waves) waves.push_back(wave(blocks_ - rest_, rest_, 0.5));
  shorten(waves);
  return waves;
}

// What comes before slices is at most some times as much as is timed.
void Slices::shorten(std::vector<Wave>& waves) const {
  constexpr double kTimes = 4;
  double before = 0;
  for (const Wave& each : waves)
    before += static_cast<double>(each.before) * static_cast<double>(each.blocks);
  const double most = kTimes * static_cast<double>(budget_);
  if (before <= most) return;
  for (Wave& each : waves) each = wave(each.first, each.blocks, each.part * most / before);
}

double Slices::reach() const {
  double farthest = 0;
  for (const Wave& each : waves()) {
    const auto instructions = static_cast<double>(each.instructions);
    farthest =
        std::max(farthest, each.part + instructions / static_cast<double>(each.blocks) / length());
  }
  return std::min(1.0, farthest);
}

std::vector<Slices::Stratum> Slices::to_be_counted(std::uint64_t instructions_in_one) const {
  const std::uint64_t affordable = budget_ / std::max<std::uint64_t>(1, instructions_in_one);
  const std::uint64_t count =
      std::min(blocks_, std::clamp(affordable, kLeastCounted, kMostCounted));
  std::vector<Stratum> strata;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t first = blocks_ * i / count, end = blocks_ * (i + 1) / count;
    strata.push_back({(first + end) / 2, end - first});
  }
  return strata;
}

void Slices::add_counted(const Stratum& stratum, const LaunchCounts& counts) {
  counts_.add(counts, stratum.stands_for);
  lengths_.push_back(static_cast<double>(counts.executed()));
}

bool Slices::too_short() const {
  return length() * static_cast<double>(blocks_) < static_cast<double>(kLeastTimes * budget_);
}

void Slices::add_measured(const Wave& wave, Cycle cycles, const Result& before,
                          const Result& after) {
  const std::uint64_t issued = after.issued - before.issued;
  if (issued == 0) return;
  const double pace = static_cast<double>(cycles) / static_cast<double>(issued);
  if (wave.blocks == wave_)
    pace_.push_back(pace);
  else
    rest_pace_ = pace;
  measured_.issued += issued;
  add_difference(measured_.traffic, before.traffic, after.traffic);
  measured_.stalls_at.resize(after.stalls_at.size());
  for (std::size_t pc = 0; pc < after.stalls_at.size(); ++pc)
    for (std::size_t stall = 0; stall < kStalls; ++stall)
      measured_.stalls_at[pc][stall] += after.stalls_at[pc][stall] - before.stalls_at[pc][stall];
}

// Full waves take their instructions times the mean pace; the last one has a pace of its own, whose
// error is taken to be as large. How far the pace is off where both are known, at the beginning, is
// part of the interval: as much may be hidden elsewhere.
Slices::Estimate Slices::cycles() const {
  const auto begun = static_cast<double>(beginning_cycles_);
  if (pace_.empty()) return {begun, 0};
  const Spread pace = spread(pace_), length = spread(lengths_);
  const auto square = [](double value) { return value * value; };
  const double last =
      rest_pace_ == 0 ? 0 : std::min(length.mean * static_cast<double>(rest_), behind());
  const double cycles = (behind() - last) * pace.mean + last * rest_pace_;
  const double by_pace =
      pace.variance / static_cast<double>(pace_.size()) * square(cycles / pace.mean);
  const double by_length = blocks_ == lengths_.size()
                               ? 0
                               : length.variance / static_cast<double>(lengths_.size()) *
                                     square(static_cast<double>(blocks_) * pace.mean);
  const double hidden = begun - static_cast<double>(beginning_.issued) * pace.mean;
  return {begun + cycles,
          std::sqrt(square(student(pace_.size() - 1)) * (by_pace + by_length) + square(hidden))};
}

// Instructions of the launch that are not in its beginning.
double Slices::behind() const {
  return std::max(0.0,
                  static_cast<double>(counts_.executed()) - static_cast<double>(beginning_.issued));
}

void Slices::fill(Result& result, Cycle overhead) const {
  Result sums = measured_;
  sums.stalls_at.resize(std::max(sums.stalls_at.size(), beginning_.stalls_at.size()));
  scale_sums(sums, behind() / static_cast<double>(std::max<std::uint64_t>(1, measured_.issued)));
  add_sums(sums, beginning_);
  const Estimate estimate = cycles();
  result.issued = sums.issued;
  result.traffic = sums.traffic;
  result.stalls_at = std::move(sums.stalls_at);
  result.stalls = {};
  for (const StallCycles& at : result.stalls_at)
    for (std::size_t stall = 0; stall < kStalls; ++stall) result.stalls[stall] += at[stall];
  // Every cycle of every warp counts under one of them.
  result.warp_cycles = 0;
  for (const std::uint64_t stall : result.stalls) result.warp_cycles += stall;
  result.active_max = static_cast<std::uint64_t>(std::llround(estimate.cycles));
  result.active_sum = result.active_max * result.sms;
  result.elapsed = result.active_max + overhead;
  result.sampled = {.blocks_timed = 0,
                    .blocks = blocks_,
                    .half_width = estimate.half_width,
                    .slices = static_cast<std::uint32_t>(pace_.size() + (rest_pace_ != 0 ? 1 : 0)),
                    .instructions_timed = beginning_.issued + measured_.issued,
                    .blocks_executed = lengths_.size()};
}

}  // namespace heddle::simulator::timing
