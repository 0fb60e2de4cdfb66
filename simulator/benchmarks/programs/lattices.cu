// A lattice gas: nine numbers a cell from its neighbours, collided and stored, in FP32; and a
// convolution with weights in constant memory over tiles in shared memory.
//
//   lattices [width = 512] [height = 256] [steps = 8]
#include "../../../gpu/kernels/common/device_array.h"

constexpr int kDirections = 9, kRadius = 4, kTile = 128;
__constant__ float weights[2 * kRadius + 1];
__constant__ int dx[kDirections] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int dy[kDirections] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__global__ void collide(const float* from, float* to, int width, int height) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x >= width) return;
  float f[kDirections], density = 0, u = 0, v = 0;
  for (int i = 0; i < kDirections; ++i) {
    const int at_x = (x - dx[i] + width) % width, at_y = (y - dy[i] + height) % height;
    f[i] = from[(i * height + at_y) * width + at_x];
    density += f[i];
    u += f[i] * float(dx[i]);
    v += f[i] * float(dy[i]);
  }
  u /= density;
  v /= density;
  for (int i = 0; i < kDirections; ++i) {
    const float weight = i == 0 ? 4.0f / 9 : i < 5 ? 1.0f / 9 : 1.0f / 36;
    const float along = 3 * (float(dx[i]) * u + float(dy[i]) * v);
    const float rest = density * weight * (1 + along + along * along / 2 - 1.5f * (u * u + v * v));
    to[(i * height + y) * width + x] = f[i] + 0.6f * (rest - f[i]);
  }
}

__global__ void convolve(const float* from, float* to, int count) {
  extern __shared__ float tile[];
  const int first = int(blockIdx.x) * kTile - kRadius;
  for (int i = int(threadIdx.x); i < kTile + 2 * kRadius; i += kTile) {
    const int at = first + i;
    tile[i] = at >= 0 && at < count ? from[at] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i <= 2 * kRadius; ++i) sum += tile[threadIdx.x + unsigned(i)] * weights[i];
  to[blockIdx.x * kTile + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  const auto width = int(argument(argc, argv, 1, 512, 128, 8192)) / kTile * kTile;
  const auto height = int(argument(argc, argv, 2, 256, 1, 8192));
  const auto steps = int(argument(argc, argv, 3, 8, 1, 1024));
  const int cells = width * height;
  std::vector<float> start(std::size_t(cells) * kDirections);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = 1 + float(scramble(unsigned(i)) % 16) / 64;
  double before = 0, after = 0;
  for (const float each : start) before += each;
  DeviceArray<float> a(start), b(start.size());
  for (int i = 0; i < steps; ++i) {
    collide<<<dim3(unsigned(width / kTile), unsigned(height)), kTile>>>(a.data(), b.data(), width,
                                                                        height);
    collide<<<dim3(unsigned(width / kTile), unsigned(height)), kTile>>>(b.data(), a.data(), width,
                                                                        height);
  }
  for (const float each : a.host()) after += each;
  Verdict verdict;
  verdict.expect(after > before * 0.999 && after < before * 1.001, "mass");
  const float bell[2 * kRadius + 1] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
  CHECK(cudaMemcpyToSymbol(weights, bell, sizeof bell));
  CHECK(cudaMemset(a.data(), 0, sizeof(float)));
  for (int i = 0; i < steps; ++i)
    convolve<<<unsigned(cells / kTile), kTile, (kTile + 2 * kRadius) * sizeof(float)>>>(
        a.data(), b.data(), cells);
  const auto smooth = b.host(), rough = a.host();
  for (int i = kRadius; i < cells - kRadius; i += 101) {
    float sum = 0;
    for (int j = -kRadius; j <= kRadius; ++j) sum += rough[std::size_t(i + j)] * bell[j + kRadius];
    if (!verdict.expect(
            smooth[std::size_t(i)] > sum * 0.999f && smooth[std::size_t(i)] < sum * 1.001f,
            "smooth"))
      break;
  }
  return verdict.finish();
}
