// A spin lock per element, taken by lanes of one warp that want the same element: only a machine
// that lets the holder run on ends.
#include "../common/device_array.h"

constexpr unsigned kElements = 4;

__global__ void add_under_lock(int* locks, int* counters) {
  const unsigned element = (blockIdx.x * blockDim.x + threadIdx.x) % kElements;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[element], 0, 1) == 0) {
      volatile int* counter = counters + element;
      *counter = *counter + 1;
      __threadfence();
      atomicExch(&locks[element], 0);
      done = true;
    }
  }
}

int main() {
  const unsigned threads = 64;
  DeviceArray<int> locks(kElements), counters(kElements);
  add_under_lock<<<1, threads>>>(locks.data(), counters.data());
  Verdict verdict;
  for (const int count : counters.host())
    verdict.expect(count == int(threads / kElements), "add_under_lock");
  return verdict.finish();
}
