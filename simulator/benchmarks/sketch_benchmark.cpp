// Compiling a sketch of a thousand lines, and running one whose threads go round a loop as often as
// their data says.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "simulator/gpu_model.hpp"
#include "simulator/sketch.hpp"

namespace heddle::simulator {
namespace {

// A thousand lines: a hundred loops of ten lines each, with branches, shared memory and chance().
std::string thousand_lines() {
  std::string text =
      "__global__ void k(int *data, float *out) {\n  __shared__ float tile[256];\n"
      "  int t = threadIdx.x;\n";
  for (int i = 0; i < 99; ++i) {
    const std::string n = std::to_string(i);
    text += "  for (int i = 0; i < t % " + std::to_string(i % 7 + 2) +
            "; ++i) {\n"
            "    int x" +
            n + " = data[t + i] * 3 + " + n +
            ";\n"
            "    if (x" +
            n + " % 5 == 0 && t > " + n +
            ") {\n"
            "      tile[t] = x" +
            n +
            " * 0.5f;\n"
            "    } else if (chance(0.25)) {\n"
            "      tile[t] += out[t] / (x" +
            n +
            " + 1.5f);\n"
            "    }\n"
            "    __syncwarp();\n"
            "    out[t] += tile[255 - t] + (x" +
            n +
            " > 7 ? 1.0f : 2.0f);\n"
            "  }\n";
  }
  return text +
         "  data[t] = 0;\n  out[t] += 1;\n  out[t] += 2;\n  out[t] += 3;\n  out[t] += "
         "4;\n}\nk<<<1, 256>>>(zeros(1024), zeros(256));\n";
}

void BM_CompileThousandLines(benchmark::State& state) {
  const std::string text = thousand_lines();
  for (auto _ : state) benchmark::DoNotOptimize(isa::sketch::compile(text, "k.warp"));
  state.counters["lines"] = static_cast<double>(std::ranges::count(text, '\n'));
}
BENCHMARK(BM_CompileThousandLines)->Unit(benchmark::kMillisecond);

// 2^20 threads; rounds even between 1 and 199, read from memory.
void BM_DataDependentLoop(benchmark::State& state) {
  const std::string text =
      "__global__ void k(const int *rounds, int *out) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  int n = rounds[i], s = i;\n"
      "  for (int j = 0; j < n; ++j) s = s * 5 + j;\n"
      "  out[i] = s;\n"
      "}\n"
      "k<<<4096, 256>>>(random(1048576, 1, 200), zeros(1048576));\n";
  SketchProgram program(isa::sketch::compile(text, "loop.warp"), "loop.warp", gpu_model("h200"));
  std::uint64_t executed = 0;
  for (auto _ : state)
    program.run(program.compiled().launches.at(0), 1, {}, [&](const SketchProgram::Ran& ran) {
      if (ran.outcome.fault) state.SkipWithError(ran.outcome.fault->message().c_str());
      for (const InstructionCounts& counts : ran.outcome.counts) executed += counts.executed;
    });
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_DataDependentLoop)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::simulator

BENCHMARK_MAIN();
