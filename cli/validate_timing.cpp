#include "cli/validate_timing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/launch_text.hpp"
#include "cli/text.hpp"
#include "simulator/base/file.hpp"
#include "simulator/base/json.hpp"
#include "validation/timing_report.hpp"

namespace heddle::cli {
namespace {

using validation::Beside;
using validation::TimingRow;
using validation::TimingSummary;

constexpr double kHundred = 100;

std::string percent(double share) { return fmt::format("{:.1f}", share * kHundred); }
std::string distance(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}
std::string beside(const std::optional<Beside>& value, double scale, int digits) {
  if (!value) return "-";
  return fmt::format("{:.{}f} / {:.{}f}", value->model * scale, digits, value->hardware * scale,
                     digits);
}

void add_row(Table& table, const TimingRow& row) {
  constexpr double kKilo = 1e-3;
  table.add({row.entry, visible(validation::kernel_name(row.kernel)),
             fmt::format("{}", row.launches), fmt::format("{:.0f}", row.cycles.hardware),
             percent(row.spread), fmt::format("{:.0f}", row.cycles.model),
             fmt::format("{:+.1f}", row.error * kHundred), distance(row.stall_distance),
             distance(row.stall_spread), beside(row.l1_hit_rate, 1, 0),
             beside(row.l2_hit_rate, 1, 0), beside(row.dram_bytes, kKilo, 0)});
}

std::string summary_text(const std::vector<TimingRow>& rows, double least_cycles) {
  const TimingSummary s = summarize(rows, least_cycles);
  if (s.rows == 0) return fmt::format("no row of {:.0f} cycles or more\n", least_cycles);
  std::string text = fmt::format("{} rows of {:.0f} cycles or more\n", s.rows, least_cycles);
  text += fmt::format(
      "  error of cycles in %: mean absolute {}, median {}, 90th percentile {}, worst {}, mean {}\n"
      "  correlation of the logarithms {:.3f}; hardware against itself {} %\n"
      "  stall reasons: mean distance {:.3f}; hardware against itself {:.3f}\n"
      "  samples: mean distance {:.3f} by source line, {:.3f} by instruction, {:.3f} by "
      "instruction "
      "and reason;\n"
      "    {:.3f} by line and {:.3f} by instruction come of the number of samples alone\n",
      percent(s.mean_absolute), percent(s.median_absolute), percent(s.ninetieth), percent(s.worst),
      percent(s.mean_signed), s.correlation, percent(s.spread), s.stall_distance, s.stall_spread,
      s.line_distance, s.place_distance, s.sample_distance, s.line_noise, s.place_noise);
  return text;
}

void put(nlohmann::ordered_json& json, const char* key, const std::optional<Beside>& value) {
  if (value) json[key] = {{"model", value->model}, {"hardware", value->hardware}};
}

// What a suite's sources compare, as rows of cells under a header.
using Cells = std::vector<std::vector<std::string>>;

Cells ratio_cells(const std::vector<validation::SuiteRatio>& ratios,
                  const std::vector<TimingRow>& rows) {
  Cells cells{{"time of one over time of the other", "seed", "model", "H200"}};
  for (const validation::SuiteRatio& ratio : ratios)
    if (const auto value = ratio_of(ratio, rows))
      cells.push_back({ratio.meaning, ratio.seed, fmt::format("{:.2f}", value->model),
                       fmt::format("{:.2f}", value->hardware)});
  return cells;
}

std::string with_unit(double value, const std::string& metric) {
  const Scaled unit = scaled(value, simulator::find_metric(metric)->unit);
  return fmt::format("{:.2f}{}{}", value * unit.factor, unit.unit.empty() ? "" : " ", unit.unit);
}

// Without the column of sources where no value has one.
Cells value_cells(const std::vector<validation::SuiteValue>& values,
                  const std::vector<TimingRow>& rows) {
  const bool sourced =
      std::ranges::any_of(values, [](const auto& each) { return each.seed != ""; });
  Cells cells{{"of one kernel", "seed", "model", "H200"}};
  for (const validation::SuiteValue& value : values)
    if (const auto found = value_of(value, rows))
      cells.push_back({value.meaning, value.seed, with_unit(found->model, value.metric),
                       found->hardware ? with_unit(*found->hardware, value.metric) : "-"});
  if (!sourced)
    for (std::vector<std::string>& row : cells) row.erase(row.begin() + 1);
  return cells;
}

// What a pair's table says of both, and below it how many are right.
struct PairTable {
  Cells cells{
      {"pair", "variants", "H200 cycles", "model", "H200 ratio", "model", "off %", "order"}};
  std::string summary;
};

class PairCount {
 public:
  void add(const validation::PairTimes& times) {
    constexpr double kNear = 0.1;
    ++pairs_;
    if (std::abs(times.error()) <= kNear) ++near_;
    if (!times.differs()) return;
    ++differing_;
    if (times.same_order()) ++right_;
  }
  std::string text() const {
    return fmt::format(
        "{} pairs, {} differ by more than 3 %: order right in {}, ratio within 10 % in {} of all",
        pairs_, differing_, right_, near_);
  }

 private:
  std::size_t pairs_ = 0, near_ = 0, differing_ = 0, right_ = 0;
};

PairTable pair_table(const std::vector<validation::SuitePair>& pairs,
                     const std::vector<TimingRow>& rows) {
  PairTable table;
  PairCount all, unused;
  for (const validation::SuitePair& pair : pairs) {
    const auto times = times_of_pair(pair, rows);
    if (!times) continue;
    all.add(*times);
    if (pair.unused) unused.add(*times);
    table.cells.push_back(
        {pair.name + (pair.unused ? " *" : ""),
         fmt::format("{}, {}", fmt::join(pair.first, " + "), fmt::join(pair.second, " + ")),
         fmt::format("{:.0f}, {:.0f}", times->first.hardware, times->second.hardware),
         fmt::format("{:.0f}, {:.0f}", times->first.model, times->second.model),
         fmt::format("{:.2f}", times->hardware_ratio()),
         fmt::format("{:.2f}", times->model_ratio()),
         fmt::format("{:+.1f}", times->error() * kHundred),
         !times->differs()     ? "same"
         : times->same_order() ? "right"
                               : "wrong"});
  }
  if (table.cells.size() > 1)
    table.summary =
        fmt::format("{}\n* unused while the model was developed: {}\n", all.text(), unused.text());
  return table;
}

std::string plain_text(const Cells& cells) {
  if (cells.size() < 2) return {};
  Table table(cells.front());
  for (std::size_t i = 1; i < cells.size(); ++i) table.add(cells[i]);
  return "\n" + table.text();
}

std::string markdown_text(const Cells& cells) {
  if (cells.size() < 2) return {};
  std::string text = fmt::format("| {} |\n|", fmt::join(cells.front(), " | "));
  for (std::size_t i = 0; i < cells.front().size(); ++i) text += "---|";
  for (std::size_t i = 1; i < cells.size(); ++i)
    text += fmt::format("\n| {} |", fmt::join(cells[i], " | "));
  return text + "\n";
}

std::string page_text(const Cells& ratios, const Cells& values, const PairTable& paired) {
  std::string text = markdown_text(ratios);
  for (const std::string& table :
       {markdown_text(values), markdown_text(paired.cells), paired.summary})
    if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
  return text;
}

// Puts the tables between the two marks that the page must have.
void write_page(const std::filesystem::path& page, const std::string& tables) {
  constexpr std::string_view kBegin = "<!-- ratios -->\n", kEnd = "<!-- end of ratios -->";
  constexpr std::uint64_t kMost = 1 << 24;
  std::string text = simulator::read_file(page, kMost);
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = begin == std::string::npos ? begin : text.find(kEnd, begin);
  if (end == std::string::npos)
    throw std::runtime_error(fmt::format("{}: has no \"{}\" with \"{}\" behind it", page.string(),
                                         kBegin.substr(0, kBegin.size() - 1), kEnd));
  text.replace(begin + kBegin.size(), end - begin - kBegin.size(), "\n" + tables + "\n");
  simulator::write_file(page, text);
}

nlohmann::ordered_json to_json(const TimingRow& row) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  json["entry"] = row.entry;
  json["kernel"] = row.kernel;
  json["launches"] = row.launches;
  if (!row.time_bound.empty()) json["time_bound"] = row.time_bound;
  put(json, "cycles", row.cycles);
  json["error"] = row.error;
  json["spread"] = row.spread;
  if (row.stall_distance) json["stall_distance"] = *row.stall_distance;
  if (row.stall_spread) json["stall_spread"] = *row.stall_spread;
  for (const auto& [reason, cycles] : row.stalls) put(json["stalls"], reason.c_str(), cycles);
  if (row.line_distance) json["line_distance"] = *row.line_distance;
  if (row.place_distance) json["place_distance"] = *row.place_distance;
  if (row.line_noise) json["line_noise"] = *row.line_noise;
  if (row.place_noise) json["place_noise"] = *row.place_noise;
  if (row.sample_distance) json["sample_distance"] = *row.sample_distance;
  put(json, "l1_hit_rate", row.l1_hit_rate);
  put(json, "l2_hit_rate", row.l2_hit_rate);
  put(json, "dram_bytes", row.dram_bytes);
  return json;
}

}  // namespace

int validate_timing(const std::vector<validation::SuiteEntry>& entries,
                    const std::filesystem::path& suite, const SuiteSources& sources,
                    SuiteRuns& runs, const Arguments& arguments) {
  constexpr std::uint64_t kUsual = 5000, kMost = 1000000000;
  const auto least = static_cast<double>(arguments.number("least-cycles", kMost).value_or(kUsual));
  Table table({"entry", "kernel", "launches", "H200 cycles", "+-%", "model", "error %", "stalls",
               "+-", "places", "samples", "L1 hit %", "L2 hit %", "DRAM kB"});
  const auto ratios = validation::read_ratios(suite);
  const auto values = validation::read_values(suite);
  const auto pairs = validation::read_pairs(suite);
  std::vector<TimingRow> rows;
  bool trouble = false;
  for (const validation::SuiteEntry& entry : entries) {
    const auto file = times_of(entry, sources);
    if (!std::filesystem::exists(file)) continue;
    try {
      const simulator::Record hardware = simulator::read_record(file);
      simulator::Record sampled;
      const auto samples = sources.records / "sampled" / file.filename();
      if (std::filesystem::exists(samples)) sampled = simulator::read_record(samples);
      const simulator::Record model = runs.run(entry).record;
      for (TimingRow& row : validation::timing_rows(entry.name, model, hardware, sampled)) {
        add_row(table, row);
        rows.push_back(std::move(row));
      }
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", entry.name, visible_lines(error.what()));
      trouble = true;
    }
  }
  const PairTable paired = pair_table(pairs, rows);
  if (!rows.empty())
    fmt::print("{}\nmodel / H200 where two values stand\n\n{}{}{}{}{}{}", table.text(),
               summary_text(rows, least), least > 0 ? summary_text(rows, 0) : "",
               plain_text(ratio_cells(ratios, rows)), plain_text(value_cells(values, rows)),
               plain_text(paired.cells), paired.summary);
  if (arguments.has("page"))
    write_page(arguments.value("page"),
               page_text(ratio_cells(ratios, rows), value_cells(values, rows), paired));
  if (arguments.has("json")) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const TimingRow& row : rows) json.push_back(to_json(row));
    simulator::write_file(arguments.value("json"), json.dump(1) + "\n");
  }
  if (rows.empty()) fmt::print(stderr, "none of these entries has a record of times\n");
  return trouble || rows.empty() ? kTrouble : 0;
}

}  // namespace heddle::cli
