// How often the rule of nvcc 13.0 for branches is right about recorded kernels, by where the `if`
// stands.
//   predication_score FILE.csv…
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "traces/sketch/tests/recorded_branches.hpp"

namespace {

using namespace heddle::isa::sketch;

struct Score {
  std::size_t right = 0, all = 0;
  void count(bool is_right) {
    right += is_right ? 1 : 0;
    ++all;
  }
};

void print(const std::string& what, const Score& score) {
  fmt::print("| {} | {} | {} | {:.1f} |\n", what, score.right, score.all,
             100.0 * static_cast<double>(score.right) / static_cast<double>(score.all));
}

void report(const std::string& file) {
  std::map<std::string, Score> parts;
  std::map<BranchOutcome, std::size_t> outcomes;
  std::string wrong;
  Score total;
  for (const RecordedBranch& each : read_branches(file)) {
    const BranchOutcome predicted = nvcc_13(each.shape, each.front);
    const bool is_right = predicted == each.outcome;
    total.count(is_right);
    for (const std::string& part :
         {each.half + " half", each.arch, std::string(each.front == Front::cuda ? "CUDA C" : "PTX"),
          each.surroundings})
      parts[part].count(is_right);
    ++outcomes[each.outcome];
    if (!is_right) wrong += fmt::format("{}, predicted {}\n", each.text, name(predicted));
  }
  if (total.all == 0) return;
  std::size_t most = 0;
  fmt::print("{}:", file);
  for (const auto& [outcome, count] : outcomes) {
    fmt::print(" {} {}", count, name(outcome));
    most = std::max(most, count);
  }
  fmt::print(
      "; the best guess is right for {:.1f} %\n\n| kernels | right | of | % |\n|---|---|---|---|\n",
      100.0 * static_cast<double>(most) / static_cast<double>(total.all));
  print("all", total);
  for (const auto& [part, score] : parts) print(part, score);
  fmt::print("\nWrong:\n\n{}", wrong);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) report(argv[i]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
