// Thousands of small launches: a heat equation on a short rod, a launch for each step, and a sum
// after each hundred.
//
//   small_launches [steps = 20000] [cells = 4096]
#include "../../../gpu/kernels/common/device_array.h"

__global__ void step(const float* from, float* to, unsigned cells) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const float left = i == 0 ? 0.0f : from[i - 1], right = i + 1 == cells ? 0.0f : from[i + 1];
  to[i] = from[i] + 0.25f * (left - 2.0f * from[i] + right);
}

__global__ void sum(const float* cells, unsigned count, float* total) {
  __shared__ float parts[256];
  float mine = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += cells[i];
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = parts[0];
}

int main(int argc, char** argv) {
  const auto steps = unsigned(argument(argc, argv, 1, 20000, 2, 1 << 20)) / 2 * 2;
  const auto cells = unsigned(argument(argc, argv, 2, 4096, 256, 1 << 20));
  std::vector<float> hot(cells);
  hot[cells / 2] = 1024;
  DeviceArray<float> a(hot), b(cells), total(1);
  for (unsigned i = 0; i < steps; i += 2) {
    step<<<(cells + 255) / 256, 256>>>(a.data(), b.data(), cells);
    step<<<(cells + 255) / 256, 256>>>(b.data(), a.data(), cells);
    if (i % 100 == 0) sum<<<1, 256>>>(a.data(), cells, total.data());
  }
  sum<<<1, 256>>>(a.data(), cells, total.data());
  const float heat = total.host()[0];
  Verdict verdict;
  verdict.expect(heat > 0 && heat < 1025, "heat");
  return verdict.finish();
}
