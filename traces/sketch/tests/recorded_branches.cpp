#include "traces/sketch/tests/recorded_branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

namespace heddle::isa::sketch {
namespace {

// The operations of gpu/kernels/micro/predication/kernels.py.
struct Operation {
  std::string_view name;
  unsigned instructions, loads;
  std::optional<unsigned> cheap;
  bool stays = false;
};
constexpr Operation kOperations[] = {
    {"fma", 1, 0, 2},
    {"int", 1, 0, 2},
    {"double", 1, 0, 2},
    {"shift", 1, 0, std::nullopt},  // through an intrinsic
    {"sine", 2, 0, std::nullopt},
    {"store", 1, 0, std::nullopt},
    {"load", 2, 1, std::nullopt},
    {"shared load", 2, 0, std::nullopt},
    {"shared store", 1, 0, std::nullopt},
    {"atomic", 1, 0, std::nullopt, true},
    {"call", 1, 0, std::nullopt, true},
};
constexpr std::array<std::string_view, 3> kOutcomes = {"branch", "predicate", "select"};
constexpr std::array<std::string_view, 3> kConditions = {"uniform", "lane", "data"};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::size_t first = 0;
  for (std::size_t end; (end = text.find(at, first)) != std::string::npos; first = end + 1)
    parts.push_back(text.substr(first, end - first));
  parts.push_back(text.substr(first));
  return parts;
}

template <std::size_t N>
std::size_t place_of(const std::string& word, const std::array<std::string_view, N>& words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) throw std::runtime_error(fmt::format("unexpected '{}'", word));
  return static_cast<std::size_t>(found - words.begin());
}

struct Operations {
  Side side{.instructions = 0, .loads = 0, .cheap = 0u};
  bool stays = false;
};

Operations operations(const std::string& kinds) {
  Operations all;
  for (const std::string& kind : split(kinds, '+')) {
    const auto* const found = std::ranges::find(kOperations, kind, &Operation::name);
    if (found == std::end(kOperations))
      throw std::runtime_error(fmt::format("no operation '{}'", kind));
    all.side.instructions += found->instructions;
    all.side.loads += found->loads;
    if (all.side.cheap && found->cheap)
      *all.side.cheap += *found->cheap;
    else
      all.side.cheap.reset();
    all.stays = all.stays || found->stays;
  }
  return all;
}

// How many instructions stand behind the `if` in kernels.py beside those asked for: a loop's step
// and test, and a barrier.
unsigned room_of(const std::string& surroundings) {
  if (surroundings == "within") return 32;
  if (surroundings == "loop") return 2;
  return surroundings == "barrier loop" ? 3 : 0;
}

// An `if` around another: what is in it and, where NVVM turns it into a select, that; else a
// branch.
void put_around(BranchShape& shape, const Operations& inner, const Operations& behind, Front front,
                Dependence condition) {
  constexpr unsigned kMostSelected = 4, kCompareAndSelect = 2;
  if (front == Front::ptx || !inner.side.cheap || *inner.side.cheap > kMostSelected) {
    shape.stays = true;
    return;
  }
  shape.then.instructions += inner.side.instructions + behind.side.instructions +
                             kCompareAndSelect + (condition == Dependence::uniform ? 1 : 0);
  shape.then.loads += behind.side.loads;
  shape.stays = shape.stays || behind.stays;
  shape.then.cheap.reset();
}

RecordedBranch branch_of(const std::string& line) {
  const std::vector<std::string> cell = split(line, ',');
  if (cell.size() != 11) throw std::runtime_error("expected 11 cells");
  RecordedBranch branch;
  branch.text = line;
  branch.half = cell[0];
  branch.front = cell[1] == "cuda" ? Front::cuda : Front::ptx;
  branch.arch = cell[2];
  branch.surroundings = cell[3];
  branch.outcome = static_cast<BranchOutcome>(place_of(cell[10], kOutcomes));
  BranchShape& shape = branch.shape;
  shape.condition = static_cast<Dependence>(place_of(cell[4], kConditions));
  const Operations then = operations(cell[7]), inner = operations(cell[8]),
                   otherwise = operations(cell[9]);
  shape.then = then.side;
  shape.stays = then.stays;
  shape.room = room_of(branch.surroundings) + static_cast<unsigned>(std::stoul(cell[6]));
  if (branch.surroundings == "around") {
    put_around(shape, inner, otherwise, branch.front,
               static_cast<Dependence>(place_of(cell[5], kConditions)));
  } else if (branch.surroundings.starts_with("else")) {
    shape.otherwise = otherwise.side;
    shape.stays = shape.stays || otherwise.stays;
    shape.alike = branch.surroundings == "else alike";
  }
  shape.stays = shape.stays || branch.surroundings == "around loop";
  shape.ends_kernel = branch.surroundings == "end";
  return branch;
}

}  // namespace

std::string_view name(BranchOutcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome));
}

std::vector<RecordedBranch> read_branches(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw std::runtime_error(fmt::format("{}: cannot be read", file.string()));
  std::vector<RecordedBranch> branches;
  std::string line;
  std::getline(input, line);  // the names of the columns
  for (unsigned number = 2; std::getline(input, line); ++number) {
    try {
      branches.push_back(branch_of(line));
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
  }
  return branches;
}

}  // namespace heddle::isa::sketch
