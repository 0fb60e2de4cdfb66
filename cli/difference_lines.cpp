#include "cli/difference_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>

#include "cli/source_files.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using simulator::InstructionRecord;
using simulator::LaunchRecord;
using simulator::MetricValues;

constexpr const char* kUniform = "smsp__sass_branch_targets_threads_uniform.sum";
constexpr const char* kDivergent = "smsp__sass_branch_targets_threads_divergent.sum";

// A line of one variant, with what its instructions did.
struct Line {
  std::string file;
  unsigned number = 0;
  std::optional<std::string> text;
  MetricValues values;
  std::vector<MetricValues> branches;  // in the order of the code

  std::string place() const {
    return fmt::format("{}:{}", fs::path(file).filename().string(), number);
  }
};

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

class Sources {
 public:
  explicit Sources(const std::vector<fs::path>& folders) : folders_(folders) {}
  std::optional<std::string> line(const std::string& file, unsigned number) {
    const auto [found, is_new] = files_.try_emplace(file);
    if (is_new)
      if (const auto text = source_text(file, folders_)) {
        std::istringstream stream(*text);
        for (std::string each; std::getline(stream, each);) found->second.push_back(trimmed(each));
      }
    if (number == 0 || number > found->second.size()) return std::nullopt;
    return found->second[number - 1];
  }

 private:
  const std::vector<fs::path>& folders_;
  std::map<std::string, std::vector<std::string>> files_;
};

// Sums that the launch has and `values` lacks are zero there; what is made of them follows.
void fill(MetricValues& values, const LaunchRecord& launch) {
  for (const simulator::Metric& metric : simulator::metrics())
    if (metric.amount != nullptr && launch.metrics.contains(metric.name))
      values.try_emplace(simulator::MetricName(metric.name), 0.0);
  simulator::complete(values);
}

void add(MetricValues& sums, const InstructionRecord& instruction, double share) {
  for (const auto& [name, value] : instruction.metrics) {
    const simulator::Metric* metric = simulator::find_metric(name.text());
    if (metric == nullptr || metric->is_sum()) sums[name] += value * share;
  }
}

std::pair<std::string, unsigned> split(const std::string& line) {
  const std::size_t colon = line.rfind(':');
  unsigned number = 0;
  if (colon == line.npos) return {line, 0};
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), number);
  return {line.substr(0, colon), number};
}

// By file and number; the means of the launches.
std::vector<Line> lines_of(const std::vector<const LaunchRecord*>& launches, Sources& sources) {
  std::map<std::pair<std::string, unsigned>, Line> lines;
  std::map<std::pair<std::string, std::uint64_t>, std::pair<Line*, std::size_t>> branches;
  const double share = 1 / static_cast<double>(launches.size());
  for (const LaunchRecord* launch : launches)
    for (const InstructionRecord& instruction : launch->instructions) {
      if (instruction.line.empty()) continue;
      const auto place = split(instruction.line);
      Line& line = lines[place];
      add(line.values, instruction, share);
      if (!instruction.metrics.contains(kUniform) && !instruction.metrics.contains(kDivergent))
        continue;
      const auto [branch, is_new] =
          branches.try_emplace({instruction.function, instruction.pc}, &line, line.branches.size());
      if (is_new) line.branches.emplace_back();
      add(branch->second.first->branches[branch->second.second], instruction, share);
    }
  std::vector<Line> result;
  for (auto& [place, line] : lines) {
    std::tie(line.file, line.number) = place;
    line.text = sources.line(line.file, line.number);
    fill(line.values, *launches.front());
    for (MetricValues& branch : line.branches) fill(branch, *launches.front());
    result.push_back(std::move(line));
  }
  return result;
}

bool same(const Line& a, const Line& b) {
  return a.text && b.text ? *a.text == *b.text : a.place() == b.place();
}

// For each line of `b` the one of `a` that it stands for, or -1: the longest common subsequence.
std::vector<std::ptrdiff_t> aligned(const std::vector<Line>& a, const std::vector<Line>& b) {
  std::vector<std::ptrdiff_t> partner(b.size(), -1);
  constexpr std::size_t kMost = 4'000'000;  // entries of the table
  if ((a.size() + 1) * (b.size() + 1) > kMost) {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < a.size(); ++i) known[a[i].place()] = i;
    for (std::size_t j = 0; j < b.size(); ++j)
      if (const auto found = known.find(b[j].place()); found != known.end())
        partner[j] = static_cast<std::ptrdiff_t>(found->second);
    return partner;
  }
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> longest((a.size() + 1) * width, 0);  // of what follows both
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      longest[i * width + j] =
          same(a[i], b[j]) ? longest[(i + 1) * width + j + 1] + 1
                           : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (same(a[i], b[j]))
      partner[j++] = static_cast<std::ptrdiff_t>(i++);
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1])
      ++i;
    else
      ++j;
  }
  return partner;
}

// Between lines that stand for each other, as many lines on both sides are changed ones: they stand
// for each other in their order.
void pair_changed(std::vector<std::ptrdiff_t>& partner, std::size_t first_lines) {
  std::ptrdiff_t after = -1;  // the line of the first variant before the gap
  for (std::size_t begin = 0; begin <= partner.size();) {
    std::size_t end = begin;
    while (end < partner.size() && partner[end] < 0) ++end;
    const auto next =
        end < partner.size() ? partner[end] : static_cast<std::ptrdiff_t>(first_lines);
    if (next - after - 1 == static_cast<std::ptrdiff_t>(end - begin))
      for (std::size_t j = begin; j < end; ++j)
        partner[j] = after + 1 + static_cast<std::ptrdiff_t>(j - begin);
    after = next;
    begin = end + 1;
  }
}

// A row for each line of the first variant, with its partners; those of the others behind the line
// that they follow.
std::vector<std::vector<const Line*>> rows_of(const std::vector<std::vector<Line>>& sides) {
  std::vector<std::vector<const Line*>> rows;
  for (const Line& line : sides[0]) {
    rows.emplace_back(sides.size(), nullptr);
    rows.back()[0] = &line;
  }
  for (std::size_t side = 1; side < sides.size(); ++side) {
    auto partner = aligned(sides[0], sides[side]);
    pair_changed(partner, sides[0].size());
    std::size_t after = 0;  // rows before this one precede
    for (std::size_t j = 0; j < partner.size(); ++j) {
      if (partner[j] < 0) {
        rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(after),
                    std::vector<const Line*>(sides.size(), nullptr));
      } else {
        const Line* const first = &sides[0][static_cast<std::size_t>(partner[j])];
        after = static_cast<std::size_t>(
            std::ranges::find(rows, first, [](const auto& row) { return row[0]; }) - rows.begin());
      }
      rows[after++][side] = &sides[side][j];
    }
  }
  return rows;
}

}  // namespace

void add_places(KernelDifference& kernel,
                const std::vector<std::vector<const LaunchRecord*>>& group,
                const std::vector<Variant>& variants) {
  std::vector<std::vector<Line>> sides;
  for (std::size_t side = 0; side < group.size(); ++side) {
    Sources sources(variants[side].source_folders);
    sides.push_back(lines_of(group[side], sources));
  }
  for (const auto& row : rows_of(sides)) {
    PlaceDifference line;
    std::size_t branches = 0;
    for (const Line* each : row) {
      line.places.push_back(each == nullptr ? "" : each->place());
      line.values.push_back(each == nullptr ? std::nullopt : std::optional(each->values));
      if (each != nullptr && line.text.empty()) line.text = each->text.value_or("");
      if (each != nullptr) branches = std::max(branches, each->branches.size());
    }
    kernel.lines.push_back(line);
    for (std::size_t n = 0; n < branches; ++n) {
      PlaceDifference branch{{}, line.text, {}};
      for (const Line* each : row) {
        const bool has = each != nullptr && n < each->branches.size();
        branch.places.push_back(has ? fmt::format("{} branch {}", each->place(), n + 1) : "");
        branch.values.push_back(has ? std::optional(each->branches[n]) : std::nullopt);
      }
      kernel.branches.push_back(std::move(branch));
    }
  }
}

std::map<std::pair<std::string, unsigned>, MetricValues> lines_before(
    const LaunchRecord& before, const std::vector<fs::path>& before_folders,
    const LaunchRecord& now, const std::vector<fs::path>& folders) {
  Sources old_sources(before_folders), new_sources(folders);
  const std::vector<Line> old_lines = lines_of({&before}, old_sources);
  const std::vector<Line> lines = lines_of({&now}, new_sources);
  auto partner = aligned(old_lines, lines);
  pair_changed(partner, old_lines.size());
  std::map<std::pair<std::string, unsigned>, MetricValues> values;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (partner[i] >= 0)
      values[{lines[i].file, lines[i].number}] =
          old_lines[static_cast<std::size_t>(partner[i])].values;
  return values;
}

std::optional<double> value_at(const PlaceDifference& place, std::size_t side,
                               const simulator::Metric& metric) {
  return place.values[side] ? simulator::value_of(*place.values[side], metric) : std::nullopt;
}

}  // namespace heddle::cli
