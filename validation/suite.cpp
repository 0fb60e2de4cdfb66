#include "validation/suite.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <stdexcept>

#include "simulator/base/file.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::validation {
namespace {

constexpr std::uint64_t kMaxFile = 1 << 20;

[[noreturn]] void fail(const std::filesystem::path& file, const toml::node& node,
                       std::string_view what) {
  throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), node.source().begin.line, what));
}

std::string text(const std::filesystem::path& file, const toml::table& table,
                 std::string_view key) {
  const auto value = table[key].value<std::string>();
  if (!value) fail(file, table, fmt::format("{} is missing or no text", key));
  return *value;
}

std::vector<std::string> texts(const std::filesystem::path& file, const toml::table& table,
                               std::string_view key) {
  const toml::array* array = table[key].as_array();
  if (array == nullptr) fail(file, table, fmt::format("{} is missing or no list", key));
  std::vector<std::string> result;
  for (const toml::node& node : *array) {
    const auto value = node.value<std::string>();
    if (!value) fail(file, node, fmt::format("{} holds something that is no text", key));
    result.push_back(*value);
  }
  return result;
}

toml::table parse(const std::filesystem::path& file) {
  try {
    return toml::parse(simulator::read_file(file, kMaxFile), file.string());
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(fmt::format("{}:{}: is not TOML; gpu/kernels/suite.toml shows a suite",
                                         file.string(), error.source().begin.line));
  }
}

// "entry: kernel".
SuiteRatio::Place place(const std::filesystem::path& file, const toml::table& table,
                        std::string_view key) {
  constexpr std::string_view kBetween = ": ";
  const std::string value = text(file, table, key);
  const std::size_t at = value.find(kBetween);
  if (at == std::string::npos) fail(file, table, fmt::format("{} is not \"entry: kernel\"", key));
  return {value.substr(0, at), value.substr(at + kBetween.size())};
}

// Calls f(table) for each of the file's [[name]].
template <typename F>
void for_each_table(const std::filesystem::path& file, const std::string& name, F&& f) {
  const toml::table table = parse(file);
  if (!table.contains(name)) return;
  const toml::array* rows = table[name].as_array();
  if (rows == nullptr) fail(file, table, name + " is no list of tables");
  for (const toml::node& node : *rows) {
    const toml::table* row = node.as_table();
    if (row == nullptr) fail(file, node, name + " is no table");
    f(*row);
  }
}

}  // namespace

std::vector<SuiteRatio> read_ratios(const std::filesystem::path& file) {
  std::vector<SuiteRatio> ratios;
  for_each_table(file, "ratio", [&](const toml::table& row) {
    ratios.push_back({text(file, row, "meaning"), text(file, row, "seed"),
                      place(file, row, "slower"), place(file, row, "faster")});
  });
  return ratios;
}

std::vector<SuitePair> read_pairs(const std::filesystem::path& file) {
  std::vector<SuitePair> pairs;
  for_each_table(file, "pair", [&](const toml::table& row) {
    const std::optional<bool> unused = row["unused"].value<bool>();
    if (!unused) fail(file, row, "unused is missing, or neither true nor false");
    pairs.push_back({text(file, row, "name"), text(file, row, "entry"), texts(file, row, "first"),
                     texts(file, row, "second"), *unused});
    if (pairs.back().first.empty() || pairs.back().second.empty())
      fail(file, row, "first and second name a kernel each, or several");
  });
  return pairs;
}

std::vector<SuiteValue> read_values(const std::filesystem::path& file) {
  std::vector<SuiteValue> values;
  for_each_table(file, "value", [&](const toml::table& row) {
    SuiteValue value{text(file, row, "meaning"),
                     row.contains("seed") ? text(file, row, "seed") : "", text(file, row, "metric"),
                     place(file, row, "of")};
    if (simulator::find_metric(value.metric) == nullptr)
      fail(file, row, fmt::format("there is no metric {}", value.metric));
    values.push_back(std::move(value));
  });
  return values;
}

std::vector<SuiteEntry> read_suite(const std::filesystem::path& file) {
  const toml::table table = parse(file);
  const std::vector<std::string> usual = texts(file, table, "builds");
  const toml::array* rows = table["entry"].as_array();
  if (rows == nullptr) fail(file, table, "has no [[entry]]");
  std::vector<SuiteEntry> entries;
  for (const toml::node& node : *rows) {
    const toml::table* row = node.as_table();
    if (row == nullptr) fail(file, node, "entry is no table");
    const std::vector<std::string> builds =
        row->contains("builds") ? texts(file, *row, "builds") : usual;
    for (const std::string& build : builds)
      entries.push_back({text(file, *row, "name"), text(file, *row, "program"), build,
                         texts(file, *row, "arguments")});
  }
  return entries;
}

}  // namespace heddle::validation
