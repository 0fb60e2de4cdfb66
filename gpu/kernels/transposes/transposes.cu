// A matrix with rows and columns exchanged: columns read one by one, through shared memory whose
// banks conflict, and through a padded tile.
//
//   transposes [columns = 1024] [rows = 1024]
#include "../common/device_array.h"

constexpr int kTile = 32, kRows = 8;

__global__ void plain(const float* in, float* out, int columns, int rows) {
  const int x = int(blockIdx.x) * kTile + int(threadIdx.x);
  const int y = int(blockIdx.y) * kTile + int(threadIdx.y);
  for (int i = 0; i < kTile; i += kRows) out[x * rows + y + i] = in[(y + i) * columns + x];
}

template <int kPadding>
__global__ void through_tile(const float* in, float* out, int columns, int rows) {
  __shared__ float tile[kTile][kTile + kPadding];
  const int tx = int(threadIdx.x), ty = int(threadIdx.y);
  const int x = int(blockIdx.x) * kTile, y = int(blockIdx.y) * kTile;
  for (int i = 0; i < kTile; i += kRows) tile[ty + i][tx] = in[(y + ty + i) * columns + x + tx];
  __syncthreads();
  for (int i = 0; i < kTile; i += kRows) out[(x + ty + i) * rows + y + tx] = tile[tx][ty + i];
}

int main(int argc, char** argv) {
  const int columns = int(argument(argc, argv, 1, 1024, kTile, 8192)) / kTile * kTile;
  const int rows = int(argument(argc, argv, 2, 1024, kTile, 8192)) / kTile * kTile;
  std::vector<float> in(std::size_t(columns) * rows), want(in.size());
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      want[std::size_t(x) * rows + y] = in[std::size_t(y) * columns + x] = float(y * columns + x);
  const struct {
    const char* name;
    void (*kernel)(const float*, float*, int, int);
  } runs[] = {{"plain", plain}, {"conflicts", through_tile<0>}, {"padded", through_tile<1>}};
  DeviceArray<float> matrix(in);
  Verdict verdict;
  for (const auto& run : runs) {
    DeviceArray<float> out(in.size());
    run.kernel<<<dim3(unsigned(columns / kTile), unsigned(rows / kTile)), dim3(kTile, kRows)>>>(
        matrix.data(), out.data(), columns, rows);
    verdict.expect(out.host() == want, run.name);
  }
  return verdict.finish();
}
