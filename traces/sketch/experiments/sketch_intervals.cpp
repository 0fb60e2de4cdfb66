// How often the interval of a sketch's branch efficiency holds the closed form. With chance(p) as
// the only branch, the share of warps that go one way together is p^32 + (1 - p)^32.
//
//   sketch_intervals [seeds = 1000] [warps = 256]
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "simulator/models/gpu_model.hpp"
#include "traces/sketch/sketch_statistics.hpp"

namespace {

using namespace heddle;

double closed_form(double p) { return std::pow(p, 32) + std::pow(1 - p, 32); }

struct Found {
  int held = 0;
  double width = 0;  // mean, in percent
};

Found experiment(double p, int seeds, int warps) {
  const std::string text = fmt::format(
      "__global__ void k() {{ if (chance({:.4f})) work(1); }}\nk<<<{}, 256>>>();\n", p, warps / 8);
  simulator::SketchProgram program(isa::sketch::compile(text, "chance.warp"), "chance.warp",
                                   simulator::gpu_model("h200"));
  const double truth = 100 * closed_form(p);
  Found found;
  for (int seed = 1; seed <= seeds; ++seed)
    program.run(program.compiled().launches.at(0), static_cast<std::uint64_t>(seed), {},
                [&](const simulator::SketchProgram::Ran& ran) {
                  simulator::SketchStatistics statistics;
                  statistics.add(ran, program.device().model(), static_cast<std::uint64_t>(seed));
                  for (const auto& row : statistics.rows()) {
                    if (row.metric->nvprof != "branch_efficiency") continue;
                    found.held += row.interval->low <= truth && truth <= row.interval->high;
                    found.width += (row.interval->high - row.interval->low) / seeds;
                  }
                });
  return found;
}

// The mean width for `warps` warps, of which a random number stay together: a run of a
// sketch of 10^12 warps takes too long.
double drawn_width(double share, std::uint64_t warps) {
  constexpr int kDraws = 400;
  std::mt19937_64 generator(1);
  std::binomial_distribution<std::uint64_t> together(warps, share);
  std::uniform_real_distribution<double> beside;
  double width = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t hits = together(generator);
    const simulator::Interval interval =
        simulator::interval_of_proportion(hits, warps, beside(generator));
    width += 100 * (interval.high - interval.low) / kDraws;
  }
  return width;
}

void print_growth() {
  fmt::print(
      "\n| p | warps that stay together, on average | warps | mean width, % | with four times the "
      "warps | ratio |\n|---|---|---|---|---|---|\n");
  for (const double p : {0.1, 0.2, 0.3, 0.5})
    for (const double expected : {0.01, 0.1, 1.0, 10.0, 100.0, 1000.0}) {
      const double share = closed_form(p);
      const auto warps = static_cast<std::uint64_t>(std::ceil(expected / share));
      if (warps < 8) continue;
      const double one = drawn_width(share, warps), four = drawn_width(share, 4 * warps);
      fmt::print("| {} | {} | {} | {:.4g} | {:.4g} | {:.2f} |\n", p, expected, warps, one, four,
                 one / four);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int warps = argc > 2 ? std::atoi(argv[2]) : 256;
  if (seeds < 1 || warps < 8) {
    fmt::print(stderr, "usage: sketch_intervals [seeds] [warps]; at least 1 and 8\n");
    return 2;
  }
  fmt::print("{} seeds, {} warps and {} warps\n\n", seeds, warps, 4 * warps);
  fmt::print(
      "| p | closed form, % | held, % of seeds | mean width | with four times the warps | "
      "ratio |\n|---|---|---|---|---|---|\n");
  for (const double p :
       {0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.997, 0.999}) {
    const Found one = experiment(p, seeds, warps);
    const Found four = experiment(p, seeds / 10 + 1, 4 * warps);
    fmt::print("| {} | {:.6g} | {:.1f} | {:.4f} | {:.4f} | {:.2f} |\n", p, 100 * closed_form(p),
               100.0 * one.held / seeds, one.width, four.width,
               four.width > 0 ? one.width / four.width : 0.0);
    std::fflush(stdout);
  }
  print_growth();
}
