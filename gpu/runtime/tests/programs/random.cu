// Random numbers made on the device (curand_kernel.h). What is printed is what an H200 printed
// (random.expected: CUDA 13.0, driver 580.159.04, 2026-11-22).
#include <curand_kernel.h>

#include "check.hpp"

constexpr int kThreads = 256, kDraws = 50;

template <typename State>
__global__ void start(State* states) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(1234ull, i, 0, states + i);
}

template <typename State>
__global__ void draw(State* states, float* uniform, float* normal, unsigned* bits_of) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State state = states[i];
  double uniform_sum = 0, normal_sum = 0;
  unsigned bits = 0;
  for (int k = 0; k < kDraws; ++k) {
    uniform_sum += curand_uniform(&state);
    normal_sum += curand_normal(&state);
    bits ^= curand(&state);
  }
  bits ^= curand_poisson(&state, 10.0) +
          static_cast<unsigned>(1000 * curand_log_normal(&state, 0.0f, 1.0f)) +
          static_cast<unsigned>(1e6 * curand_uniform_double(&state));
  uniform[i] = uniform_sum / kDraws;
  normal[i] = normal_sum / kDraws;
  bits_of[i] = bits;
  states[i] = state;
}

__global__ void four_at_once(float4* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(7, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand_uniform4(&state);
  out[threadIdx.x].w += curand_normal4(&state).x;
}

template <typename State>
static void run(const char* name) {
  State* states;
  float *uniform, *normal;
  unsigned* bits;
  OK(cudaMalloc(&states, kThreads * sizeof(State)));
  OK(cudaMallocManaged(&uniform, kThreads * sizeof(float)));
  OK(cudaMallocManaged(&normal, kThreads * sizeof(float)));
  OK(cudaMallocManaged(&bits, kThreads * sizeof(unsigned)));
  start<<<4, kThreads / 4>>>(states);
  for (int round = 0; round < 2; ++round) draw<<<4, kThreads / 4>>>(states, uniform, normal, bits);
  OK(cudaDeviceSynchronize());
  unsigned all = 0;
  for (int i = 0; i < kThreads; ++i) all = all * 31 + bits[i];
  std::printf("%s %08x %.9g %.9g\n", name, all, uniform[17], normal[200]);
}

int main() {
  run<curandStateXORWOW_t>("xorwow");
  run<curandStatePhilox4_32_10_t>("philox");
  run<curandStateMRG32k3a_t>("mrg");
  float4* four;
  OK(cudaMallocManaged(&four, 32 * sizeof(float4)));
  four_at_once<<<1, 32>>>(four);
  OK(cudaDeviceSynchronize());
  std::printf("%.9g %.9g\n", four[3].x, four[31].w);
}
