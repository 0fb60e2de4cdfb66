// Warp instructions a second on one core, all exact metrics on, beside the ceiling of the same run.
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "simulator/benchmarks/ceiling.hpp"
#include "simulator/launch.hpp"

namespace heddle::simulator {
namespace {

std::vector<std::byte> read_cubin() {
  std::ifstream file(HEDDLE_SOURCE_DIR "/simulator/benchmarks/kernels/kernels.sm_90.cubin",
                     std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

template <typename... Arguments>
std::vector<std::byte> parameters(Arguments... arguments) {
  std::vector<std::byte> bytes;
  const auto append = [&](const auto& value) {
    const std::size_t at = (bytes.size() + sizeof value - 1) / sizeof value * sizeof value;
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  (append(arguments), ...);
  return bytes;
}

struct Fixture {
  Device device{gpu_model("h200")};
  Module module{read_cubin(), "kernels.sm_90.cubin", device.memory()};

  void run(benchmark::State& state, const char* kernel, Dim3 grid, Dim3 block,
           std::vector<std::byte> arguments) {
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel(kernel);
    request.grid = grid;
    request.block = block;
    request.parameters = std::move(arguments);
    std::uint64_t executed = 0;
    for (auto _ : state) {
      const LaunchOutcome outcome = device.launch(request, {});
      if (outcome.fault) state.SkipWithError(outcome.fault->message().c_str());
      for (const InstructionCounts& counts : outcome.counts) executed += counts.executed;
    }
    state.counters["warp_instructions"] =
        benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
  }
};

void BM_CeilingFullMask(benchmark::State& state) {
  ceiling::Interpreter interpreter(256);
  std::uint64_t executed = 0;
  for (auto _ : state) executed += interpreter.run(~0u, 1000);
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_CeilingFullMask);

void BM_CeilingPartialMask(benchmark::State& state) {
  ceiling::Interpreter interpreter(256);
  std::uint64_t executed = 0;
  for (auto _ : state) executed += interpreter.run(0x0f0f3355u, 1000);
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_CeilingPartialMask);

void BM_AluLoop(benchmark::State& state) {
  Fixture fixture;
  const std::uint64_t out = *fixture.device.memory().allocate(1 << 20, "out");
  fixture.run(state, "alu_loop", {16, 1, 1}, {256, 1, 1}, parameters(out, 500));
}
BENCHMARK(BM_AluLoop);

void BM_DivergentLoop(benchmark::State& state) {
  Fixture fixture;
  const std::uint64_t out = *fixture.device.memory().allocate(1 << 20, "out");
  fixture.run(state, "divergent_loop", {16, 1, 1}, {256, 1, 1}, parameters(out, 500));
}
BENCHMARK(BM_DivergentLoop);

void BM_StreamGlobal(benchmark::State& state) {
  Fixture fixture;
  constexpr int kElements = 1 << 22;
  DeviceMemory& memory = fixture.device.memory();
  const std::uint64_t a = *memory.allocate(kElements * 4, "a");
  const std::uint64_t b = *memory.allocate(kElements * 4, "b");
  const std::uint64_t c = *memory.allocate(kElements * 4, "c");
  fixture.run(state, "stream", {64, 1, 1}, {256, 1, 1}, parameters(a, b, c, kElements));
}
BENCHMARK(BM_StreamGlobal);

}  // namespace
}  // namespace heddle::simulator

BENCHMARK_MAIN();
