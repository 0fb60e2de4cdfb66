// Little's law: how much must be in flight so that a latency is hidden at a throughput.
#pragma once

namespace heddle::simulator {

struct InFlight {
  double operations = 0;  // each one thread's
  double warps = 0;
  double bytes = 0;  // memory alone
};

// Arithmetic: `latency` in cycles, `throughput` in operations of a thread per cycle.
constexpr InFlight to_hide_arithmetic(double latency, double throughput) {
  return {.operations = latency * throughput, .warps = latency * throughput / 32};
}

// Memory: `latency` in cycles, `bandwidth` in bytes per cycle; each thread has `bytes_per_thread`
// under way.
constexpr InFlight to_hide_memory(double latency, double bandwidth, double bytes_per_thread) {
  const double bytes = latency * bandwidth;
  return {.operations = bytes / bytes_per_thread,
          .warps = bytes / bytes_per_thread / 32,
          .bytes = bytes};
}

// Of a bandwidth in GB/s (10^9) at a clock in GHz.
constexpr double bytes_per_cycle(double gigabytes_per_second, double gigahertz) {
  return gigabytes_per_second / gigahertz;
}

}  // namespace heddle::simulator
