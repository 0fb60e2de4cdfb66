// What the checks of `heddle run --check` cost, in warp instructions a second: nothing where nobody
// asks for them (`off`, and `off, after one` on a device on which a launch was checked before), and
// each by itself.
#include <benchmark/benchmark.h>

#include "simulator/benchmarks/kernels.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::simulator {
namespace {

class Stream {
 public:
  Stream() {
    request_.module = &module_;
    request_.kernel = module_.cubin().find_kernel("stream");
    request_.grid = {16, 1, 1};
    request_.block = {256, 1, 1};
    constexpr int kElements = 1 << 16;
    const auto array = [&](const char* name) {
      const std::uint64_t address = *device_.memory().allocate(kElements * 4, name);
      device_.memory().host_wrote(address, kElements * 4);
      return address;
    };
    request_.parameters = parameters(array("a"), array("b"), array("c"), kElements);
  }

  DeviceMemory& memory() { return device_.memory(); }

  // Warp instructions; 0 where a mistake was found.
  std::uint64_t launch(checks::Checks* checks) {
    LaunchOptions options;
    options.checks = checks;
    const LaunchOutcome outcome = device_.launch(request_, options);
    const std::uint64_t executed = outcome.counts.executed();
    return outcome.fault || !outcome.findings.empty() ? 0 : executed;
  }

 private:
  Device device_{gpu_model("h200")};
  Module module_{read_cubin(), "kernels.sm_90.cubin", device_.memory()};
  LaunchRequest request_;
};

void measure(benchmark::State& state, Stream& stream, checks::Checks* checks) {
  std::uint64_t executed = 0;
  for (auto _ : state) {
    const std::uint64_t now = stream.launch(checks);
    if (now == 0) state.SkipWithError("the kernel has a fault, or a check found something");
    executed += now;
  }
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(executed), benchmark::Counter::kIsRate);
}

void BM_Off(benchmark::State& state) {
  Stream stream;
  measure(state, stream, nullptr);
}
BENCHMARK(BM_Off)->Name("off");

void BM_OffAfterOne(benchmark::State& state) {
  Stream stream;
  {
    checks::Checks checks(checks::parse_options("all"), stream.memory());
    stream.launch(&checks);
  }
  measure(state, stream, nullptr);
}
BENCHMARK(BM_OffAfterOne)->Name("off, after one");

void BM_Check(benchmark::State& state, const char* names) {
  Stream stream;
  checks::Checks checks(checks::parse_options(names), stream.memory());
  measure(state, stream, &checks);
}
BENCHMARK_CAPTURE(BM_Check, memory, "memory")->Name("memory");
BENCHMARK_CAPTURE(BM_Check, races, "races")->Name("races");
BENCHMARK_CAPTURE(BM_Check, init, "init")->Name("init");
BENCHMARK_CAPTURE(BM_Check, sync, "sync")->Name("sync");
BENCHMARK_CAPTURE(BM_Check, hazards, "hazards")->Name("hazards");
BENCHMARK_CAPTURE(BM_Check, all, "all")->Name("all");

}  // namespace
}  // namespace heddle::simulator

BENCHMARK_MAIN();
