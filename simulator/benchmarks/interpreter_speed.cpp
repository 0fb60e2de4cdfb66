// Prints the warp instructions that the full-mask interpreter of ceiling.hpp executes in a second
// of this thread: what simulator/benchmarks/programs/measure.py compares with.
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "simulator/benchmarks/ceiling.hpp"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main() {
  constexpr double kSeconds = 0.3;
  heddle::simulator::ceiling::Interpreter interpreter(256);
  const double begin = cpu_seconds();
  std::uint64_t executed = 0;
  while (cpu_seconds() - begin < kSeconds) executed += interpreter.run(~0u, 1000);
  std::printf("%.0f\n", static_cast<double>(executed) / (cpu_seconds() - begin));
}
