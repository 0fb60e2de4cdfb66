// Every cell of a grid from its neighbours: read from global memory, from a tile in shared memory
// whose border some threads fetch, and along columns that a thread walks down.
//
//   stencils [width = 768] [height = 768]
#include "../common/device_array.h"

constexpr int kTile = 16;

__global__ void five_points(const int* in, int* out, int width, int height) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  int sum = 4 * in[at];
  if (x > 0) sum += in[at - 1];
  if (x + 1 < width) sum += in[at + 1];
  if (y > 0) sum += in[at - width];
  if (y + 1 < height) sum += in[at + width];
  out[at] = sum;
}

__global__ void five_points_tiled(const int* in, int* out, int width, int height) {
  __shared__ int tile[kTile + 2][kTile + 2];
  const int tx = int(threadIdx.x) + 1, ty = int(threadIdx.y) + 1;
  const int x = int(blockIdx.x) * kTile + tx - 1, y = int(blockIdx.y) * kTile + ty - 1;
  const auto value = [&](int column, int row) {
    return column >= 0 && column < width && row >= 0 && row < height ? in[row * width + column] : 0;
  };
  tile[ty][tx] = value(x, y);
  if (tx == 1) tile[ty][0] = value(x - 1, y);
  if (tx == kTile) tile[ty][kTile + 1] = value(x + 1, y);
  if (ty == 1) tile[0][tx] = value(x, y - 1);
  if (ty == kTile) tile[kTile + 1][tx] = value(x, y + 1);
  __syncthreads();
  if (x < width && y < height)
    out[y * width + x] = 4 * tile[ty][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
                         tile[ty + 1][tx];
}

__global__ void five_points_down(const int* in, int* out, int width, int height) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x);
  const int rows = (height + int(gridDim.y) - 1) / int(gridDim.y);
  const int first = int(blockIdx.y) * rows, last = min(height, first + rows);
  if (x >= width || first >= height) return;
  int above = first > 0 ? in[(first - 1) * width + x] : 0, here = in[first * width + x];
  for (int y = first; y < last; ++y) {
    const int below = y + 1 < height ? in[(y + 1) * width + x] : 0;
    int sum = 4 * here + above + below;
    if (x > 0) sum += in[y * width + x - 1];
    if (x + 1 < width) sum += in[y * width + x + 1];
    out[y * width + x] = sum;
    above = here;
    here = below;
  }
}

int main(int argc, char** argv) {
  const int width = int(argument(argc, argv, 1, 768, 1, 8192));
  const int height = int(argument(argc, argv, 2, 768, 1, 8192));
  std::vector<int> in(std::size_t(width) * height), want(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = int(scramble(unsigned(i)) % 1000);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::size_t at = std::size_t(y) * width + x;
      want[at] = 4 * in[at] + (x > 0 ? in[at - 1] : 0) + (x + 1 < width ? in[at + 1] : 0) +
                 (y > 0 ? in[at - width] : 0) + (y + 1 < height ? in[at + width] : 0);
    }
  DeviceArray<int> cells(in), a(in.size()), b(in.size()), c(in.size());
  const dim3 block(kTile, kTile);
  const dim3 grid(unsigned(width + kTile - 1) / kTile, unsigned(height + kTile - 1) / kTile);
  five_points<<<grid, block>>>(cells.data(), a.data(), width, height);
  five_points_tiled<<<grid, block>>>(cells.data(), b.data(), width, height);
  five_points_down<<<dim3(unsigned(width + 127) / 128, 44), 128>>>(cells.data(), c.data(), width,
                                                                   height);
  Verdict verdict;
  verdict.expect(a.host() == want, "five_points");
  verdict.expect(b.host() == want, "five_points_tiled");
  verdict.expect(c.host() == want, "five_points_down");
  return verdict.finish();
}
