// chance() and trips(): reproducible, independent of place and order, and distributed as they say.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "traces/sketch/sketch_statistics.hpp"
#include "traces/sketch/tests/sketch_runs.hpp"

namespace heddle::simulator {
namespace {

std::vector<std::int32_t> drawn(const std::string& expression, std::uint64_t seed = 1) {
  return run_one("__global__ void k(int *out) { out[blockIdx.x * 256 + threadIdx.x] = " +
                     expression + "; }\nk<<<64, 256>>>(zeros(16384));\n",
                 seed)
      .array<std::int32_t>("out");
}

double mean_of(const std::vector<std::int32_t>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double variance_of(const std::vector<std::int32_t>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const std::int32_t value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

TEST(SketchRandom, ASeedGivesTheSameNumbersAgain) {
  EXPECT_EQ(drawn("chance(0.5)", 7), drawn("chance(0.5)", 7));
  EXPECT_NE(drawn("chance(0.5)", 7), drawn("chance(0.5)", 8));
  EXPECT_NE(drawn("chance(0.5)", 7), drawn("chance(0.5)", 7 + (std::uint64_t{1} << 32)));
}

// Of each distribution; the list's weights are uneven, so that both of its draws have to be shared.
TEST(SketchRandom, TripsOfAWarpAreTheSameForAllItsThreads) {
  for (const char* form : {"trips(uniform, 1, 90, warp)", "trips(geometric, 40, warp)",
                           "trips(poisson, 40, warp)", "trips(list, \"3*5 7 50*2 9\", warp)"}) {
    const auto found = drawn(form);
    bool differ = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i], found[i - i % 32]) << form << " at " << i;
      differ = differ || found[i] != found[0];
    }
    EXPECT_TRUE(differ) << form;
  }
}

TEST(SketchRandom, ChanceIsAsOftenTrueAsItSays) {
  for (const double p : {0.01, 0.3, 0.5, 0.9}) {
    const double share = mean_of(drawn("chance(" + std::to_string(p) + ")"));
    EXPECT_NEAR(share, p, 5 * std::sqrt(p * (1 - p) / 16384)) << p;
  }
  EXPECT_EQ(mean_of(drawn("chance(0)")), 0);
  EXPECT_EQ(mean_of(drawn("chance(1)")), 1);
  EXPECT_NEAR(mean_of(drawn("chance(threadIdx.x < 128 ? 0.25f : 0.75f)")), 0.5, 0.02);
}

// Neighbouring lanes, one lane in two places, one place in two rounds.
TEST(SketchRandom, NumbersAreIndependent) {
  const auto all = run_one(
      "__global__ void k(int *a, int *b, int *c) {\n"
      "  int i = blockIdx.x * 256 + threadIdx.x;\n"
      "  a[i] = chance(0.5);\n  b[i] = chance(0.5);\n"
      "  for (int j = 0; j < 2; ++j) c[i + j * 16384] = chance(0.5);\n}\n"
      "k<<<64, 256>>>(zeros(16384), zeros(16384), zeros(32768));\n");
  const auto a = all.array<std::int32_t>("a"), b = all.array<std::int32_t>("b"),
             c = all.array<std::int32_t>("c");
  int places = 0, rounds = 0, lanes = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    places += a[i] == b[i];
    rounds += c[i] == c[i + 16384];
    lanes += a[i] == a[(i + 1) % a.size()];
  }
  const double allowed = 5 * std::sqrt(16384 * 0.25);
  EXPECT_NEAR(places, 8192, allowed);
  EXPECT_NEAR(rounds, 8192, allowed);
  EXPECT_NEAR(lanes, 8192, allowed);
}

TEST(SketchRandom, AWarpsChanceIsTheSameForItsLanes) {
  const auto found = drawn("chance(0.5, warp)");
  int warps = 0;
  for (std::size_t i = 0; i < found.size(); i += 32) {
    for (std::size_t lane = 1; lane < 32; ++lane) ASSERT_EQ(found[i + lane], found[i]);
    warps += found[i];
  }
  EXPECT_NEAR(warps, 256, 5 * std::sqrt(512 * 0.25));
  const auto result =
      run_one("__global__ void k() { if (chance(0.5, warp)) work(1); }\nk<<<64, 256>>>();\n");
  EXPECT_EQ(result.metric("divergent_branch"), 0u);
  EXPECT_EQ(result.metric("branch"), 512u);
}

TEST(SketchRandom, TripsAreDistributedAsTheySay) {
  EXPECT_EQ(mean_of(drawn("trips(fixed, 5)")), 5);
  const auto uniform = drawn("trips(uniform, 3, 12)");
  EXPECT_EQ(*std::ranges::min_element(uniform), 3);
  EXPECT_EQ(*std::ranges::max_element(uniform), 12);
  EXPECT_NEAR(mean_of(uniform), 7.5, 0.1);
  EXPECT_NEAR(variance_of(uniform), 8.25, 0.4);
  const auto geometric = drawn("trips(geometric, 8)");
  EXPECT_EQ(*std::ranges::min_element(geometric), 1);
  EXPECT_NEAR(mean_of(geometric), 8, 0.3);
  EXPECT_NEAR(variance_of(geometric), 56, 5);
  const auto poisson = drawn("trips(poisson, 6.5)");
  EXPECT_NEAR(mean_of(poisson), 6.5, 0.1);
  EXPECT_NEAR(variance_of(poisson), 6.5, 0.4);
}

TEST(SketchRandom, TripsFromAFileAreThoseOfTheFile) {
  SketchProgram program(
      isa::sketch::compile("__global__ void k(int *out) {\n"
                           "  out[blockIdx.x * 256 + threadIdx.x] = trips(file, \"rounds\");\n}\n"
                           "k<<<64, 256>>>(zeros(16384));\n",
                           "s.warp",
                           {.predication = nullptr,
                            .read_file =
                                [](const std::string& name) {
                                  EXPECT_EQ(name, "rounds");
                                  return std::string("4 4 10*6\n5 4");
                                }}),
      "s.warp", gpu_model("h200"));
  std::map<std::int32_t, int> seen;
  program.run(program.compiled().launches.at(0), 3, {}, [&](const SketchProgram::Ran& ran) {
    const auto bytes = program.contents(ran.arrays.at(0));
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      std::int32_t value = 0;
      std::memcpy(&value, bytes.data() + i, 4);
      ++seen[value];
    }
  });
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_NEAR(seen[4], 16384 * 0.3, 300);
  EXPECT_NEAR(seen[5], 16384 * 0.1, 200);
  EXPECT_NEAR(seen[10], 16384 * 0.6, 320);
}

TEST(SketchRandom, WorkAndMemoryAreWhatTheySay) {
  const auto result = run_one(
      "__global__ void k() { work(7); memory(3, coalesced); memory(2, strided(32)); memory(1, "
      "broadcast); }\nk<<<1, 32>>>();\n");
  EXPECT_EQ(result.metric("smsp__sass_inst_executed_op_global_ld.sum"), 6u);
  EXPECT_EQ(result.metric("gld_transactions"), 3u * 4 + 2 * 32 + 1);
}

// Small: the proportion in docs/experiments/sketch-intervals.md is of a thousand seeds for each.
TEST(SketchIntervals, HoldTheClosedFormAboutAsOftenAsTheySay) {
  for (const double p : {0.003, 0.05, 0.5}) {
    const std::string text = "__global__ void k() { if (chance(" + std::to_string(p) +
                             ")) work(1); }\nk<<<8, 1024>>>();\n";
    SketchProgram program(isa::sketch::compile(text, "s.warp"), "s.warp", gpu_model("h200"));
    const double truth = 100 * (std::pow(p, 32) + std::pow(1 - p, 32));
    int held = 0;
    constexpr int kSeeds = 200;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
      program.run(program.compiled().launches.at(0), seed, {}, [&](const SketchProgram::Ran& ran) {
        SketchStatistics statistics;
        statistics.add(ran, program.device().model(), seed);
        for (const auto& row : statistics.rows())
          if (row.metric->nvprof == "branch_efficiency")
            held += row.interval->low <= truth && truth <= row.interval->high;
      });
    // Binomial: 190 expected, with a deviation of 3.1.
    EXPECT_GE(held, 190 - 13) << p;
    EXPECT_LE(held, 190 + 10) << p;
  }
}

// The mean width for `warps` warps, of which a random number stay together.
double mean_width(double share, std::uint64_t warps) {
  constexpr int kDraws = 100;
  std::mt19937_64 generator(1);
  std::binomial_distribution<std::uint64_t> together(warps, share);
  std::uniform_real_distribution<double> beside;
  double width = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t hits = together(generator);
    const Interval interval = interval_of_proportion(hits, warps, beside(generator));
    width += (interval.high - interval.low) / kDraws;
  }
  return width;
}

// As one over the root of the number of warps where there is something to count, whatever p is; and
// where hardly a warp stays together, as the bound of a rare event: as one over the number.
TEST(SketchIntervals, ShrinkAsTheRootOnceWarpsStayTogether) {
  for (const double p : {0.003, 0.1, 0.2, 0.5}) {
    const double share = std::pow(p, 32) + std::pow(1 - p, 32);
    const double rarer = std::min(share, 1 - share);
    const auto many = static_cast<std::uint64_t>(200 / rarer);
    EXPECT_NEAR(mean_width(share, many) / mean_width(share, 4 * many), 2, 0.15) << p;
    const auto few = static_cast<std::uint64_t>(0.02 / rarer);
    if (few < 100) continue;
    EXPECT_NEAR(mean_width(share, few) / mean_width(share, 4 * few), 4, 0.5) << p;
    EXPECT_LT(mean_width(share, few), 4 / static_cast<double>(few)) << p;
  }
}

TEST(SketchIntervals, OfAMeanIsStudents) {
  const auto interval = interval_of_mean(10, 4, 4).value();
  EXPECT_NEAR(interval.high - 10, 3.182446, 1e-5);
  EXPECT_FALSE(interval_of_mean(10, 0, 1).has_value());
}

// With half of the hits' probability on each side: I(0.025 …) between Clopper's and Pearson's ends.
TEST(SketchIntervals, OfAProportion) {
  const Interval half = interval_of_proportion(5, 10, 0.5);
  EXPECT_NEAR(half.low + half.high, 1, 1e-9);
  EXPECT_GT(half.low, 0.1870);  // Clopper and Pearson: 0.1871 to 0.8129
  EXPECT_LT(half.high, 0.8130);
  EXPECT_EQ(interval_of_proportion(0, 10, 0.5).low, 0);
  EXPECT_EQ(interval_of_proportion(0, 10, 0.99).high, 0);
  EXPECT_EQ(interval_of_proportion(10, 10, 0.5).high, 1);
}

}  // namespace
}  // namespace heddle::simulator
