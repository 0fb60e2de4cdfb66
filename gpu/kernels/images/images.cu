// Small programs over a plane: the Mandelbrot set, the game of life, a transposition through shared
// memory, a histogram.
#include "../common/device_array.h"

constexpr int kWidth = 40, kHeight = 24;

__global__ void mandelbrot(unsigned char* out, int most) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x),
            y = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= kWidth || y >= kHeight) return;
  const float cr = float(x) * 3 / kWidth - 2, ci = float(y) * 2 / kHeight - 1;
  float zr = 0, zi = 0;
  int i = 0;
  for (; i < most && zr * zr + zi * zi < 4; ++i) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = next;
  }
  out[y * kWidth + x] = (unsigned char)(i);
}

__host__ __device__ static unsigned char next_state(const unsigned char* cells, int x, int y) {
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy)
        neighbours += cells[(y + dy + kHeight) % kHeight * kWidth + (x + dx + kWidth) % kWidth];
  return neighbours == 3 || (neighbours == 2 && cells[y * kWidth + x]);
}

__global__ void life(const unsigned char* in, unsigned char* out) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x),
            y = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < kWidth && y < kHeight) out[y * kWidth + x] = next_state(in, x, y);
}

__global__ void transpose(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char tile[8][9];
  const int x = int(blockIdx.x) * 8, y = int(blockIdx.y) * 8;
  tile[threadIdx.y][threadIdx.x] = in[(y + int(threadIdx.y)) * kWidth + x + int(threadIdx.x)];
  __syncthreads();
  out[(x + int(threadIdx.y)) * kHeight + y + int(threadIdx.x)] = tile[threadIdx.x][threadIdx.y];
}

__global__ void histogram(const unsigned char* in, int count, unsigned* bins) {
  __shared__ unsigned shared[32];
  if (threadIdx.x < 32) shared[threadIdx.x] = 0;
  __syncthreads();
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += int(gridDim.x * blockDim.x))
    atomicAdd(&shared[in[i] % 32], 1);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], shared[threadIdx.x]);
}

int main() {
  constexpr int kCount = kWidth * kHeight, kRounds = 3;
  DeviceArray<unsigned char> set(kCount), turned(kCount), second(kCount);
  DeviceArray<unsigned> bins(32);
  const dim3 block(16, 8), grid((kWidth + 15) / 16, kHeight / 8);
  mandelbrot<<<grid, block>>>(set.data(), 31);
  transpose<<<dim3(kWidth / 8, kHeight / 8), dim3(8, 8)>>>(set.data(), turned.data());
  histogram<<<3, 64>>>(set.data(), kCount, bins.data());
  const auto points = set.host(), columns = turned.host();
  const auto counts = bins.host();

  std::vector<unsigned char> cells(kCount);
  for (int i = 0; i < kCount; ++i) cells[i] = scramble(unsigned(i)) % 3 == 0;
  DeviceArray<unsigned char> first(cells);
  for (int round = 0; round < kRounds; ++round) {
    life<<<grid, block>>>(round % 2 ? second.data() : first.data(),
                          round % 2 ? first.data() : second.data());
    const std::vector<unsigned char> before = cells;
    for (int i = 0; i < kCount; ++i) cells[i] = next_state(before.data(), i % kWidth, i / kWidth);
  }
  Verdict verdict;
  std::vector<unsigned> expected(32);
  for (int i = 0; i < kCount; ++i) {
    ++expected[points[i] % 32];
    verdict.expect(columns[i % kWidth * kHeight + i / kWidth] == points[i], "transpose");
  }
  verdict.expect(points[kHeight / 2 * kWidth + kWidth * 2 / 3] == 31,
                 "mandelbrot: the origin is inside");
  verdict.expect(points[0] < 4, "mandelbrot: the corner is outside");
  verdict.expect(counts == expected, "histogram");
  verdict.expect((kRounds % 2 ? second : first).host() == cells, "life");
  return verdict.finish();
}
