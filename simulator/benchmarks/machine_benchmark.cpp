// Warp instructions a second on one core, all exact metrics on, beside the ceiling of the same run;
// the same timed, on all SMs of the GPU.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <ctime>
#include <utility>

#include "simulator/benchmarks/ceiling.hpp"
#include "simulator/benchmarks/kernels.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/texture.hpp"

namespace heddle::simulator {
namespace {

// Of this thread: what else the machine does is not counted.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// What the full-mask interpreter does now, in warp instructions a second.
double ceiling_now() {
  constexpr double kSeconds = 0.3;
  ceiling::Interpreter interpreter(256);
  const double begin = cpu_seconds();
  std::uint64_t executed = 0;
  while (cpu_seconds() - begin < kSeconds) executed += interpreter.run(~0u, 1000);
  return static_cast<double>(executed) / (cpu_seconds() - begin);
}

double peak_mebibytes() {
  constexpr double kKibiPerMebi = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kKibiPerMebi;
}

struct Fixture {
  explicit Fixture(std::vector<std::byte> cubin = read_cubin())
      : module(std::move(cubin), "kernels.sm_90.cubin", device.memory()) {}

  Device device{gpu_model("h200")};
  Module module;

  void run(benchmark::State& state, const char* kernel, Dim3 grid, Dim3 block,
           std::vector<std::byte> arguments, const LaunchOptions& options = {}) {
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel(kernel);
    request.grid = grid;
    request.block = block;
    request.parameters = std::move(arguments);
    std::uint64_t executed = 0;
    for (auto _ : state) {
      const LaunchOutcome outcome = device.launch(request, options);
      if (outcome.fault) state.SkipWithError(outcome.fault->message().c_str());
      executed += outcome.counts.executed();
    }
    state.counters["warp_instructions"] =
        benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
    executed_ = static_cast<double>(executed);
  }

  // Timed. `ceiling_over`: how many times faster the ceiling is; `peak_MiB`: the process so far.
  void time(benchmark::State& state, const char* kernel, Dim3 grid, Dim3 block,
            std::vector<std::byte> arguments) {
    LaunchOptions options;
    options.settings.timing.emplace();
    const double ceiling = ceiling_now();
    const double begin = cpu_seconds();
    run(state, kernel, grid, block, std::move(arguments), options);
    const double seconds = cpu_seconds() - begin;
    state.counters["ceiling_over"] = (ceiling + ceiling_now()) / 2 * seconds / executed_;
    state.counters["peak_MiB"] = peak_mebibytes();
  }

 private:
  double executed_ = 0;
};

void interpret(benchmark::State& state, std::uint32_t active) {
  ceiling::Interpreter interpreter(256);
  std::uint64_t executed = 0;
  for (auto _ : state) executed += interpreter.run(active, 1000);
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
}
void BM_CeilingFullMask(benchmark::State& state) { interpret(state, ~0u); }
BENCHMARK(BM_CeilingFullMask);
void BM_CeilingPartialMask(benchmark::State& state) { interpret(state, 0x0f0f3355u); }
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

// What `stream` takes: two arrays that are read, one that is written.
std::vector<std::byte> arrays(DeviceMemory& memory, int elements) {
  const auto bytes = static_cast<std::uint64_t>(elements) * 4;
  const std::uint64_t a = *memory.allocate(bytes, "a"), b = *memory.allocate(bytes, "b");
  return parameters(a, b, *memory.allocate(bytes, "c"), elements);
}

void BM_StreamGlobal(benchmark::State& state) {
  Fixture fixture;
  fixture.run(state, "stream", {64, 1, 1}, {256, 1, 1}, arrays(fixture.device.memory(), 1 << 22));
}
BENCHMARK(BM_StreamGlobal);

// The same so that it can be taken back, to be executed once more (LaunchOptions::counters).
void BM_StreamGlobalForCounters(benchmark::State& state) {
  Fixture fixture;
  LaunchOptions options;
  options.settings.counters = true;
  fixture.run(state, "stream", {64, 1, 1}, {256, 1, 1}, arrays(fixture.device.memory(), 1 << 22),
              options);
}
BENCHMARK(BM_StreamGlobalForCounters);

// A plane of floats through its filter, clamped at its edges.
void BM_FilteredTexture(benchmark::State& state) {
  constexpr std::uint32_t kSize = 512;
  Fixture fixture(compiled_kernels("simulator/benchmarks/kernels/filtered.sm_90.cubin"));
  DeviceMemory& memory = fixture.device.memory();
  TextureHeader image;
  image.address = *memory.allocate(kSize * kSize * 4, "texels");
  image.shape = TextureHeader::Shape::plane;
  image.format = TextureHeader::Format::floating;
  image.width = image.height = kSize;
  image.row_bytes = kSize * 4;
  image.layer_bytes = image.row_bytes * kSize;
  image.addressing.fill(TextureHeader::Addressing::clamp);
  image.linear_filter = true;
  const std::uint64_t handle = *add_texture(memory, image);
  const std::uint64_t out = *memory.allocate(kSize * kSize * 4, "out");
  fixture.run(state, "filtered", {kSize / 128, kSize, 1}, {128, 1, 1}, parameters(handle, out, 4));
}
BENCHMARK(BM_FilteredTexture);

// One warp that does next to nothing: what the road there and back costs.
void BM_SmallLaunch(benchmark::State& state) {
  Fixture fixture;
  const std::uint64_t out = *fixture.device.memory().allocate(1 << 20, "out");
  fixture.run(state, "alu_loop", {1, 1, 1}, {32, 1, 1}, parameters(out, 1));
}
BENCHMARK(BM_SmallLaunch);

// Eight blocks of eight warps on each of the H200's SMs: all its warps.
constexpr std::uint32_t kAllSms = 132 * 8;

void BM_TimedAluLoop(benchmark::State& state) {
  Fixture fixture;
  const std::uint64_t out = *fixture.device.memory().allocate(4 << 20, "out");
  fixture.time(state, "alu_loop", {kAllSms, 1, 1}, {256, 1, 1}, parameters(out, 20));
}
BENCHMARK(BM_TimedAluLoop);

void BM_TimedDivergentLoop(benchmark::State& state) {
  Fixture fixture;
  const std::uint64_t out = *fixture.device.memory().allocate(4 << 20, "out");
  fixture.time(state, "divergent_loop", {kAllSms, 1, 1}, {256, 1, 1}, parameters(out, 20));
}
BENCHMARK(BM_TimedDivergentLoop);

void BM_TimedStreamGlobal(benchmark::State& state) {
  Fixture fixture;
  fixture.time(state, "stream", {kAllSms, 1, 1}, {256, 1, 1},
               arrays(fixture.device.memory(), 1 << 24));
}
BENCHMARK(BM_TimedStreamGlobal);

}  // namespace
}  // namespace heddle::simulator

BENCHMARK_MAIN();
