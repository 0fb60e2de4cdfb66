// Calls that are not inlined: nested, recursive with and without divergence, through pointers, with
// arguments that live in memory.
//
//   calls [threads = 96]
#include <vector>

#include "../common/common.h"

#define FUNCTION __host__ __device__ __noinline__

FUNCTION static int square(int x) { return x * x; }
FUNCTION static int cube(int x) { return square(x) * x; }
FUNCTION static int negate(int x) { return -x; }
FUNCTION static int polynomial(int x) { return cube(x) + 3 * square(x) - negate(x); }

FUNCTION static unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }
FUNCTION static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

struct Interval {
  double low, high;
  int steps;
};
FUNCTION static Interval narrow(Interval interval, double by) {
  return {interval.low + by, interval.high - by, interval.steps + 1};
}
FUNCTION static void halve(Interval *interval) {
  interval->high = interval->low + (interval->high - interval->low) / 2;
  *interval = narrow(*interval, 0.125);
}

typedef int (*Function)(int);
__device__ Function functions[4] = {square, cube, negate, polynomial};

struct Result {
  int nested, recursive, through_pointer;
  unsigned factorial;
  Interval interval;
};

__global__ void nested_calls(Result *results) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  results[tid].nested = polynomial(tid);
}

// Lanes of a warp recurse to different depths.
__global__ void recursive_calls(Result *results) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  results[tid].factorial = factorial(tid % 13);
  results[tid].recursive = fibonacci(tid % 8);
}

// Lanes of a warp call four different functions.
__global__ void calls_through_pointers(Result *results) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  results[tid].through_pointer = functions[tid % 4](tid);
}

// Only some lanes call.
__global__ void calls_in_branches(Result *results) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  Interval interval = {0.0, double(tid + 1), 0};
  for (int i = 0; i < tid % 5; ++i) halve(&interval);
  results[tid].interval = interval;
}

static bool is_right(int tid, const Result &result) {
  static const Function host_functions[4] = {square, cube, negate, polynomial};
  Interval interval = {0.0, double(tid + 1), 0};
  for (int i = 0; i < tid % 5; ++i) halve(&interval);
  return result.nested == polynomial(tid) && result.factorial == factorial(tid % 13) &&
         result.recursive == fibonacci(tid % 8) &&
         result.through_pointer == host_functions[tid % 4](tid) &&
         result.interval.low == interval.low && result.interval.high == interval.high &&
         result.interval.steps == interval.steps;
}

int main(int argc, char **argv) {
  const int threads = int(argument(argc, argv, 1, 96, 1, 1024));
  Result *d_results;
  CHECK(cudaMalloc(&d_results, threads * sizeof(Result)));
  CHECK(cudaMemset(d_results, 0xff, threads * sizeof(Result)));
  void (*const kernels[])(Result *) = {nested_calls, recursive_calls, calls_through_pointers,
                                       calls_in_branches};
  for (const auto kernel : kernels) {
    kernel<<<1, threads>>>(d_results);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  std::vector<Result> results(threads);
  CHECK(cudaMemcpy(results.data(), d_results, threads * sizeof(Result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_results));
  printf("%d threads, fibonacci(7) = %d\n", threads, threads > 7 ? results[7].recursive : 0);
  Verdict verdict;
  for (int tid = 0; tid < threads; ++tid) verdict.expect(is_right(tid, results[tid]), "a thread");
  return verdict.finish();
}
