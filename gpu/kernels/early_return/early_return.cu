// Lanes leave from inside loops: out of a function with a result, out of the kernel, and before a
// barrier that the others still reach.
#include "../common/device_array.h"

constexpr unsigned kThreads = 128;

__host__ __device__ static int collatz(unsigned n) {
  for (int steps = 0; steps < 60; ++steps) {
    if (n == 1) return steps;
    if (n > 5000) return -steps;
    n = n % 2 ? 3 * n + 1 : n / 2;
  }
  return 1000;
}

__global__ void return_from_function(int* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = collatz(thread + 1);
}

__global__ void return_from_kernel(int* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 10; ++i) {
    if (scramble(thread + i * 1000) % 5 == 0) return;
    out[thread] += i + 1;
  }
  out[thread] += 100;
}

// A quarter of each warp, and one warp as a whole, are gone when the others meet.
__global__ void return_before_barrier(int* out) {
  __shared__ int shared[kThreads];
  const unsigned thread = threadIdx.x;
  shared[thread] = int(thread);
  __syncthreads();
  if (thread % 4 == 3 || thread / 32 == 2) return;
  shared[thread] *= 2;
  __syncthreads();
  out[thread] = shared[thread ^ 1] + shared[thread % 4 ? thread - 1 : thread];
}

int main() {
  DeviceArray<int> function(kThreads), kernel(kThreads), barrier(kThreads);
  return_from_function<<<2, kThreads / 2>>>(function.data());
  return_from_kernel<<<2, kThreads / 2>>>(kernel.data());
  return_before_barrier<<<1, kThreads>>>(barrier.data());
  const auto a = function.host(), b = kernel.host(), c = barrier.host();
  Verdict verdict;
  for (unsigned i = 0; i < kThreads; ++i) {
    int sum = 0;
    for (int j = 0;; ++j) {
      if (j == 10) sum += 100;
      if (j == 10 || scramble(i + unsigned(j) * 1000) % 5 == 0) break;
      sum += j + 1;
    }
    const auto shared = [](unsigned at) { return int(at % 4 == 3 || at / 32 == 2 ? at : 2 * at); };
    const int met = i % 4 == 3 || i / 32 == 2 ? 0 : shared(i ^ 1) + shared(i % 4 ? i - 1 : i);
    verdict.expect(a[i] == collatz(i + 1), "return_from_function");
    verdict.expect(b[i] == sum, "return_from_kernel");
    verdict.expect(c[i] == met, "return_before_barrier");
  }
  return verdict.finish();
}
