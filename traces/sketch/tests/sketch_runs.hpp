// Compiles and runs a sketch in a test.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "simulator/models/gpu_model.hpp"
#include "simulator/record/metrics.hpp"
#include "traces/sketch/launches.hpp"
#include "traces/sketch/run_sketch.hpp"

namespace heddle::simulator {

struct SketchResult {
  MetricValues metrics;
  std::map<std::string, std::vector<std::byte>> arrays;
  std::map<std::uint32_t, std::uint64_t> divergent;  // branches by line
  std::map<std::uint32_t, std::uint64_t> branches;

  template <typename T>
  std::vector<T> array(const std::string& name) const {
    const auto& bytes = arrays.at(name);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::uint64_t metric(std::string_view name) const {
    return static_cast<std::uint64_t>(value_of(metrics, *find_metric(name)).value());
  }
};

// Every launch of the sketch.
inline std::vector<SketchResult> run_all(const std::string& text, std::uint64_t seed = 1,
                                         const char* predication = "off") {
  SketchProgram program(
      isa::sketch::compile(
          text, "test.warp",
          {.predication = isa::sketch::find_predication_rule(predication), .read_file = {}}),
      "test.warp", gpu_model("h200"));
  std::vector<SketchResult> results;
  for (const auto& launch : isa::sketch::choose_launches(program.compiled(), {}))
    program.run(launch, seed, {}, [&](const SketchProgram::Ran& ran) {
      SketchResult result;
      EXPECT_FALSE(ran.outcome.fault) << ran.outcome.fault->message();
      result.metrics =
          make_launch_record(ran.request, ran.outcome, program.device().model()).metrics;
      for (const auto& array : ran.arrays) result.arrays[array.parameter] = program.contents(array);
      for (const auto& [i, counts] : ran.outcome.counts) {
        if (counts.branch_uniform + counts.branch_divergent == 0) continue;
        const auto position =
            program.module().position(isa::kCodeBase + sizeof(isa::Word) * i).value();
        result.divergent[position.line] += counts.branch_divergent;
        result.branches[position.line] += counts.branch_uniform + counts.branch_divergent;
      }
      results.push_back(std::move(result));
    });
  return results;
}

inline SketchResult run_one(const std::string& text, std::uint64_t seed = 1,
                            const char* predication = "off") {
  auto results = run_all(text, seed, predication);
  EXPECT_EQ(results.size(), 1u);
  return std::move(results.at(0));
}

}  // namespace heddle::simulator
