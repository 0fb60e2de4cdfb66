// Loops that each thread leaves when its own number says so: no two lanes of a warp at the same
// time.
//
//   escape_loops [block size = 128] [blocks = 264]
#include "../common/device_array.h"

__host__ __device__ static unsigned collatz_steps(unsigned n) {
  unsigned steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  return steps;
}

__host__ __device__ static unsigned greatest_divisor(unsigned a, unsigned b) {
  while (b != 0) {
    const unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Rounds until the point leaves a circle, in integers of 12 fractional bits, so that the host gets
// the same.
__host__ __device__ static unsigned escape_rounds(int x0, int y0) {
  constexpr int kOne = 1 << 12;
  int x = 0, y = 0;
  for (unsigned round = 0; round < 96; ++round) {
    const int xx = x * x / kOne, yy = y * y / kOne;
    if (xx + yy > 4 * kOne) return round;
    y = x * y / (kOne / 2) + y0;
    x = xx - yy + x0;
  }
  return 96;
}

__host__ __device__ static unsigned least_factor(unsigned n) {
  if (n % 2 == 0) return 2;
  for (unsigned factor = 3; factor * factor <= n; factor += 2)
    if (n % factor == 0) return factor;
  return n;
}

__host__ __device__ static unsigned of_collatz(unsigned thread) {
  return collatz_steps(thread + 1);
}
__host__ __device__ static unsigned of_divisors(unsigned thread) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    sum += greatest_divisor(scramble(thread * 8 + i) >> 4, scramble(thread * 8 + i + 4) >> 4);
  return sum;
}
__host__ __device__ static unsigned of_escapes(unsigned thread) {
  return escape_rounds(int(thread % 256) * 48 - 8192, int(thread / 256) * 48 - 3072);
}
__host__ __device__ static unsigned of_factors(unsigned thread) {
  return least_factor(scramble(thread) % 40000 + 3);
}

__global__ void collatz(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = of_collatz(thread);
}
__global__ void divisors(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = of_divisors(thread);
}
__global__ void escapes(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = of_escapes(thread);
}
__global__ void factors(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = of_factors(thread);
}

int main(int argc, char** argv) {
  const unsigned block = unsigned(argument(argc, argv, 1, 128, 1, 1024));
  const unsigned blocks = unsigned(argument(argc, argv, 2, 264, 1, 4096));
  const struct {
    const char* name;
    void (*kernel)(unsigned*);
    unsigned (*expected)(unsigned);
  } runs[] = {{"collatz", collatz, of_collatz},
              {"divisors", divisors, of_divisors},
              {"escapes", escapes, of_escapes},
              {"factors", factors, of_factors}};
  Verdict verdict;
  for (const auto& run : runs) {
    DeviceArray<unsigned> out(std::size_t(block) * blocks);
    run.kernel<<<blocks, block>>>(out.data());
    const auto values = out.host();
    bool right = true;
    for (unsigned i = 0; i < values.size(); ++i) right = right && values[i] == run.expected(i);
    verdict.expect(right, run.name);
  }
  return verdict.finish();
}
