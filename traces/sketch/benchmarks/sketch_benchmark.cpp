// Compiling a sketch of a thousand lines, and running one whose threads go round a loop as often as
// their data says.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "simulator/benchmarks/kernels.hpp"
#include "simulator/device/device.hpp"
#include "simulator/models/gpu_model.hpp"
#include "traces/sketch/run_sketch.hpp"

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
constexpr const char* kLoop =
    "__global__ void k(const int *rounds, int *out) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  int n = rounds[i], s = i;\n"
    "  for (int j = 0; j < n; ++j) s = s * 5 + j;\n"
    "  out[i] = s;\n"
    "}\n"
    "k<<<4096, 256>>>(random(1048576, 1, 200), zeros(1048576));\n";

// Seconds of processor time and warp instructions.
struct Rate {
  double seconds = 0;
  std::uint64_t executed = 0;

  template <typename Work>
  void add(Work&& work) {
    const std::clock_t begin = std::clock();
    executed += work();
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  double value() const { return static_cast<double>(executed) / seconds; }
};

// By turns with the engine's loop of arithmetic (alu_loop of benchmarks/kernels), so that whatever
// else the machine does slows both. `of_alu_rate` is to be no less than 0.5.
void BM_DataDependentLoop(benchmark::State& state) {
  SketchProgram program(isa::sketch::compile(kLoop, "loop.warp"), "loop.warp", gpu_model("h200"));
  Device device{gpu_model("h200")};
  Module module{read_cubin(), "kernels.sm_90.cubin", device.memory()};
  LaunchRequest alu;
  alu.module = &module;
  alu.kernel = module.cubin().find_kernel("alu_loop");
  alu.grid = {512, 1, 1};
  alu.block = {256, 1, 1};
  alu.parameters = parameters(*device.memory().allocate(1 << 20, "out"), 500);
  Rate loop_rate, alu_rate;
  for (auto _ : state) {
    alu_rate.add([&] {
      const LaunchOutcome outcome = device.launch(alu, {});
      if (outcome.fault) state.SkipWithError(outcome.fault->message().c_str());
      return outcome.counts.executed();
    });
    loop_rate.add([&] {
      std::uint64_t executed = 0;
      program.run(program.compiled().launches.at(0), 1, {}, [&](const SketchProgram::Ran& ran) {
        if (ran.outcome.fault) state.SkipWithError(ran.outcome.fault->message().c_str());
        executed += ran.outcome.counts.executed();
      });
      return executed;
    });
  }
  state.counters["alu_warp_instructions_per_s"] = alu_rate.value();
  state.counters["loop_warp_instructions_per_s"] = loop_rate.value();
  state.counters["of_alu_rate"] = loop_rate.value() / alu_rate.value();
}
BENCHMARK(BM_DataDependentLoop)->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
}  // namespace heddle::simulator

BENCHMARK_MAIN();
