#include "cli/timed_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/text.hpp"
#include "validation/timing_report.hpp"

namespace heddle::cli {
namespace {

using validation::Beside;
using validation::TimingRow;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string beside(const std::optional<Beside>& value, const char* unit) {
  return value ? fmt::format("~{:.1f} / {:.1f} {}", value->model, value->hardware, unit) : "-";
}

struct StallShare {
  std::string reason;
  double model = 0, hardware = 0;  // of all warps' cycles
};

// Costliest first, on either side.
std::vector<StallShare> stall_shares(const TimingRow& row) {
  constexpr std::string_view kBegin = "smsp__average_warps_issue_stalled_",
                             kEnd = "_per_issue_active.ratio";
  std::vector<StallShare> shares;
  double model = 0, hardware = 0;
  for (const auto& [name, value] : row.metrics) {
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd) || !value.hardware) continue;
    shares.push_back({name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()),
                      value.model, *value.hardware});
    model += value.model;
    hardware += *value.hardware;
  }
  if (model <= 0 || hardware <= 0) return {};
  for (StallShare& each : shares) {
    each.model /= model;
    each.hardware /= hardware;
  }
  std::ranges::sort(shares, std::ranges::greater(),
                    [](const StallShare& each) { return std::max(each.model, each.hardware); });
  return shares;
}

Table stalls(const TimingRow& row) {
  constexpr double kWorthSaying = 0.05;
  Table table({"stall", "model", "hardware", "apart"});
  for (const StallShare& each : stall_shares(row))
    if (std::max(each.model, each.hardware) >= kWorthSaying)
      table.add({each.reason, "~" + percent(each.model), percent(each.hardware),
                 fmt::format("{:+.1f}", 100 * (each.model - each.hardware))});
  return table;
}

}  // namespace

std::string times_text(const simulator::Record& model, const simulator::Record& hardware) {
  const std::vector<TimingRow> rows = validation::timing_rows({}, model, hardware);
  if (rows.empty()) return {};
  Table table(
      {"kernel", "launches", "cycles", "hardware", "error", "+-", "L1 hits", "L2 hits", "DRAM"});
  constexpr double kKilo = 1e-3;
  for (const TimingRow& row : rows) {
    std::optional<Beside> dram = row.dram_bytes;
    if (dram) dram = Beside{dram->model * kKilo, dram->hardware * kKilo};
    table.add({visible(validation::kernel_name(row.kernel)), fmt::format("{}", row.launches),
               fmt::format("~{:.0f}", row.cycles.model), fmt::format("{:.0f}", row.cycles.hardware),
               fmt::format("{:+.1f} %", 100 * row.error), percent(row.spread),
               beside(row.l1_hit_rate, "%"), beside(row.l2_hit_rate, "%"), beside(dram, "kB")});
  }
  std::string text =
      "\ntimes: ~ is the model, beside it the hardware's median; +- is how far its measurements "
      "are from that\n" +
      table.text();
  for (const TimingRow& row : rows)
    if (const Table shares = stalls(row); !shares.empty())
      text += fmt::format(
          "\n{}: what warps' cycles go to{}\n{}", visible(validation::kernel_name(row.kernel)),
          row.stall_distance && row.stall_spread
              ? fmt::format(" ({} of them elsewhere; hardware against itself {})",
                            percent(*row.stall_distance), percent(*row.stall_spread))
              : "",
          shares.text(2));
  return text;
}

}  // namespace heddle::cli
