// Time read inside a kernel. What it says differs from run to run; that it does not run backwards,
// and what the kernel computes beside it, do not.
#include "../common/device_array.h"

__global__ void clock_reads(long long* elapsed, unsigned* out) {
  const long long start = clock64();
  const unsigned low = unsigned(clock());
  unsigned long long global_start, global_end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(global_start));
  unsigned value = threadIdx.x;
  for (unsigned i = 0; i < 5 + threadIdx.x % 3; ++i) value = scramble(value + i);
  out[threadIdx.x] = value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(global_end));
  const bool forward = global_end >= global_start && int(unsigned(clock()) - low) >= 0;
  elapsed[threadIdx.x] = forward ? clock64() - start : -1;
}

// Ends when enough time has passed, and no sooner.
__global__ void wait_a_while(int* waited) {
  const long long start = clock64();
  while (clock64() - start < 2000) {
  }
  waited[threadIdx.x] = 1;
}

int main() {
  constexpr unsigned kThreads = 64;
  DeviceArray<long long> elapsed(kThreads);
  DeviceArray<unsigned> out(kThreads);
  DeviceArray<int> waited(32);
  clock_reads<<<1, kThreads>>>(elapsed.data(), out.data());
  wait_a_while<<<1, 32>>>(waited.data());
  const auto times = elapsed.host();
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < kThreads; ++i) {
    unsigned value = i;
    for (unsigned j = 0; j < 5 + i % 3; ++j) value = scramble(value + j);
    verdict.expect(values[i] == value, "clock_reads");
    verdict.expect(times[i] > 0, "time runs forward");
  }
  for (const int done : waited.host()) verdict.expect(done == 1, "wait_a_while");
  return verdict.finish();
}
