#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "cli/launch_text.hpp"
#include "cli/problems.hpp"

namespace heddle::cli {
namespace {

using simulator::Metric;
using simulator::MetricValues;

// Columns when no metrics are chosen.
std::vector<const Metric*> usual_columns() {
  std::vector<const Metric*> columns;
  for (const char* name :
       {"inst_executed", "thread_inst_executed", "not_predicated_off_thread_inst_executed",
        "branch", "divergent_branch", "smsp__sass_sectors_mem_global",
        "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"})
    columns.push_back(simulator::find_metric(name));
  return columns;
}

// A heading in two lines. Empty above where one line does.
struct Heading {
  std::string above, below;
};

// Broken behind the '_' or '.' that leaves the longer part shortest.
Heading broken(std::string_view name) {
  constexpr std::size_t kShort = 12;
  if (name.size() <= kShort) return {{}, std::string(name)};
  std::size_t best = 0;
  const auto longer = [&](std::size_t at) { return std::max(at, name.size() - at); };
  for (std::size_t i = 1; i < name.size(); ++i)
    if ((name[i - 1] == '_' || name[i - 1] == '.') && longer(i) < longer(best)) best = i;
  return {std::string(name.substr(0, best)), std::string(name.substr(best))};
}

// As short as they can be; the metric's own name where it was asked for.
std::vector<Heading> headings(Metrics metrics) {
  std::vector<Heading> result;
  if (metrics.empty())
    for (const char* usual :
         {"warp inst", "thread inst", "pred. on", "branches", "divergent", "sectors", "wavefronts"})
      result.push_back({{}, usual});
  for (const Metric* metric : metrics) result.push_back(broken(short_name(*metric)));
  return result;
}

// Of an instruction or a line. A sum that the launch has and it has not is zero there.
std::optional<double> part_of(const simulator::LaunchRecord& launch, const MetricValues& values,
                              const Metric& metric) {
  if (metric.is_sum() && metric.of.empty()) {
    if (const auto found = values.find(metric.name); found != values.end()) return found->second;
    if (launch.metrics.contains(metric.name) && metric.of_launch == nullptr &&
        metric.of_timing == nullptr)
      return 0;
    return std::nullopt;
  }
  if (metric.of.empty()) return std::nullopt;  // of the launch as a whole
  double value = 0;
  for (const std::string_view name : {metric.of, metric.plus}) {
    if (name.empty()) continue;
    const auto summand = part_of(launch, values, *simulator::find_metric(name));
    if (!summand) return std::nullopt;
    value += *summand;
  }
  if (metric.per.empty()) return metric.scale * value;
  const auto per = part_of(launch, values, *simulator::find_metric(metric.per));
  if (!per || *per == 0) return std::nullopt;
  return metric.scale * value / *per;
}

std::vector<std::string> cells(const simulator::LaunchRecord& launch, const MetricValues& values,
                               Metrics columns) {
  std::vector<std::string> row;
  for (const Metric* metric : columns) {
    const auto value = part_of(launch, values, *metric);
    const bool empty = !value || (*value == 0 && metric->per.empty());
    row.push_back(empty                 ? ""
                  : metric->unit == "%" ? fmt::format("{:.2f}", *value)
                                        : readable(*value));
  }
  return row;
}

// Rows of metrics between what names a row and what follows. A row without cells is a title.
// Columns in which no row has a value are left out.
class MetricTable {
 public:
  MetricTable(std::string first, Metrics metrics, std::vector<std::string> last)
      : first_(std::move(first)), headings_(headings(metrics)), last_(std::move(last)) {}

  void add(std::string name, std::vector<std::string> cells, std::vector<std::string> last) {
    used_.resize(headings_.size());
    for (std::size_t i = 0; i < cells.size(); ++i) used_[i] = used_[i] || !cells[i].empty();
    rows_.push_back({std::move(name), std::move(cells), std::move(last)});
  }

  std::string text() const {
    std::vector<std::string> above, below;
    for (const Heading& each : headings_) {
      above.push_back(each.above);
      below.push_back(each.below);
    }
    Table table({});
    const std::vector<std::string> upper = whole("", above, {});
    if (std::ranges::any_of(upper, [](const std::string& cell) { return !cell.empty(); }))
      table.add(upper);
    table.add(whole(first_, below, last_));
    for (const Row& row : rows_)
      table.add(row.cells.empty() ? std::vector<std::string>{row.name}
                                  : whole(row.name, row.cells, row.last));
    return table.text(2);
  }

 private:
  struct Row {
    std::string name;
    std::vector<std::string> cells, last;
  };

  std::vector<std::string> whole(const std::string& name, const std::vector<std::string>& cells,
                                 const std::vector<std::string>& last) const {
    std::vector<std::string> row{name};
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (i < used_.size() && used_[i]) row.push_back(cells[i]);
    row.insert(row.end(), last.begin(), last.end());
    return row;
  }

  std::string first_;
  std::vector<Heading> headings_;
  std::vector<std::string> last_;
  std::vector<Row> rows_;
  std::vector<bool> used_;
};

// Of a file by number; what has no line comes first.
struct LinePlace {
  explicit LinePlace(const std::string& text) : place(place_of(text)), written(text) {}
  auto operator<=>(const LinePlace& other) const {
    return std::tie(place.file, place.line, written) <=>
           std::tie(other.place.file, other.place.line, other.written);
  }
  Place place;
  std::string written;
};

}  // namespace

std::string instruction_table(const simulator::LaunchRecord& launch, Metrics metrics) {
  const std::vector<const Metric*> usual = usual_columns();
  const Metrics columns = metrics.empty() ? Metrics(usual) : metrics;
  MetricTable table("pc", metrics, {"instruction", "line"});
  std::string function = launch.kernel;
  for (const auto& instruction : launch.instructions) {
    if (instruction.function != function) {
      function = instruction.function;
      table.add(fmt::format("{}:", visible(display_name(function))), {}, {});
    }
    std::vector<std::string> row = cells(launch, instruction.metrics, columns);
    const bool is_empty =
        std::ranges::all_of(row, [](const std::string& cell) { return cell.empty(); });
    // Where warps only waited.
    if (is_empty && !instruction.metrics.contains("smsp__sass_inst_executed.sum")) continue;
    table.add(fmt::format("{:04x}", instruction.pc), std::move(row),
              {visible(instruction.text), visible(instruction.line)});
  }
  return table.text();
}

std::string source_table(const simulator::LaunchRecord& launch, Metrics metrics) {
  const std::vector<const Metric*> usual = usual_columns();
  const Metrics columns = metrics.empty() ? Metrics(usual) : metrics;
  std::map<std::pair<LinePlace, std::string>, MetricValues> lines;  // line and function
  for (const auto& instruction : launch.instructions) {
    const std::string& where =
        instruction.inlined.empty() ? instruction.function : instruction.inlined;
    MetricValues& sums = lines[{LinePlace(instruction.line), where}];
    for (const auto& [name, value] : instruction.metrics) {
      const Metric* metric = simulator::find_metric(name.text());
      if (metric == nullptr || metric->is_sum()) sums[name] += value;
    }
  }
  MetricTable table("line", metrics, {"function"});
  for (const auto& [where, sums] : lines)
    table.add(where.first.written.empty() ? "(no line)" : visible(where.first.written),
              cells(launch, sums, columns), {visible(display_name(where.second))});
  return table.text();
}

}  // namespace heddle::cli
