#include "simulator/launch/check_options.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "simulator/base/spelling.hpp"

namespace heddle::simulator::checks {
namespace {

struct Row {
  std::string_view name, alias;
  bool Options::*member;
};

constexpr Row kRows[] = {
    {"memory", "memcheck", &Options::memory},  {"races", "racecheck", &Options::races},
    {"init", "initcheck", &Options::init},     {"sync", "synccheck", &Options::sync},
    {"hazards", "hazards", &Options::hazards},
};

void add(std::string_view word, Options& options) {
  bool known = false;
  for (const Row& row : kRows)
    if (word == row.name || word == row.alias || word == "all") {
      options.*row.member = true;
      known = true;
    }
  if (known) return;
  std::vector<std::string_view> names{"all"};
  for (const Row& row : kRows) names.insert(names.end(), {row.name, row.alias});
  const std::string_view near = nearest(word, names);
  throw std::invalid_argument(
      near.empty() ? fmt::format("no check {}; there are memory, races, init, sync, hazards", word)
                   : fmt::format("no check {}; did you mean {}?", word, near));
}

}  // namespace

Options parse_options(std::string_view text) {
  Options options;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    add(text.substr(at, comma - at), options);
    at = comma + 1;
  }
  return options;
}

std::string to_text(const Options& options) {
  std::vector<std::string_view> all;
  for (const Row& row : kRows)
    if (options.*row.member) all.push_back(row.name);
  return fmt::format("{}", fmt::join(all, ","));
}

}  // namespace heddle::simulator::checks
