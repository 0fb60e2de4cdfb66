// What it costs to go through a launch of ten million warp instructions, forward and back, and what
// memory that takes. One launch is executed once, before everything is measured on it.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "simulator/benchmarks/kernels.hpp"
#include "simulator/device/device.hpp"
#include "simulator/device/replay.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kSteps = 10'000'000;

// `stream` reads and writes global memory all the time, `divergent_loop` splits its warps.
struct Launch {
  explicit Launch(bool memory) {
    request.module = &module;
    request.kernel = module.cubin().find_kernel(memory ? "stream" : "divergent_loop");
    request.grid = {64, 1, 1};
    request.block = {256, 1, 1};
    if (memory) {
      constexpr std::uint64_t kElements = 1 << 25;
      for (int i = 0; i < 3; ++i) add(*device.memory().allocate(kElements * 4, "array"), 8);
      add(kElements, 4);
    } else {
      add(*device.memory().allocate(1 << 20, "out"), 8);
      add(4000, 4);
    }
  }
  void add(std::uint64_t value, std::size_t bytes) {
    const std::size_t at = request.parameters.size();
    request.parameters.resize(at + bytes);
    std::memcpy(request.parameters.data() + at, &value, bytes);
  }
  Device device{gpu_model("h200")};
  Module module{read_cubin(), "kernels.sm_90.cubin", device.memory()};
  LaunchRequest request;
};

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void report(benchmark::State& state, const Replay& replay) {
  state.counters["steps"] = static_cast<double>(replay.step());
  state.counters["interval"] = static_cast<double>(replay.interval());
  state.counters["kept_MiB"] = static_cast<double>(replay.kept_bytes()) / (1 << 20);
  state.counters["process_peak_MiB"] = peak_mebibytes();
}

void BM_Forward(benchmark::State& state) {
  for (auto _ : state) {
    Launch launch(state.range(0) != 0);
    Replay replay(launch.device, launch.request);
    replay.go_to(kSteps);
    report(state, replay);
  }
}
BENCHMARK(BM_Forward)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("memory")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

// Ten thousand steps back from near the end, as one jump.
void BM_BackTenThousand(benchmark::State& state) {
  Launch launch(state.range(0) != 0);
  Replay replay(launch.device, launch.request);
  replay.go_to(kSteps);
  for (auto _ : state) {
    replay.go_to(replay.step() - 10'000);
    state.PauseTiming();
    replay.go_to(replay.step() + 10'000 - 17);
    state.ResumeTiming();
  }
  report(state, replay);
}
BENCHMARK(BM_BackTenThousand)->Arg(0)->Arg(1)->ArgName("memory")->Unit(benchmark::kMillisecond);

void BM_BackOne(benchmark::State& state) {
  Launch launch(state.range(0) != 0);
  Replay replay(launch.device, launch.request);
  replay.go_to(kSteps);
  for (auto _ : state) replay.go_to(replay.step() - 1);
  report(state, replay);
}
BENCHMARK(BM_BackOne)->Arg(0)->Arg(1)->ArgName("memory")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::simulator

BENCHMARK_MAIN();
