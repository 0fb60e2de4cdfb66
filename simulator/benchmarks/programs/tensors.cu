// A tiled product of FP16 matrices by the tensor cores, a tile of 16 x 16 for each warp. The
// numbers are small integers, so that every sum is exact in any order.
//
//   tensors [size = 256]
#include <mma.h>

#include "../../../gpu/kernels/common/device_array.h"

using namespace nvcuda;
constexpr unsigned kTile = 16, kWarps = 4;

__global__ void multiply(const __half* a, const __half* b, float* out, unsigned size) {
  const unsigned row = blockIdx.y * kTile,
                 column = (blockIdx.x * kWarps + threadIdx.x / 32) * kTile;
  wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (unsigned k = 0; k < size; k += kTile) {
    wmma::load_matrix_sync(left, a + row * size + k, size);
    wmma::load_matrix_sync(right, b + column * size + k, size);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(out + row * size + column, sum, size, wmma::mem_row_major);
}

int main(int argc, char** argv) {
  const auto size = unsigned(argument(argc, argv, 1, 256, 64, 4096)) / 64 * 64;
  std::vector<__half> a(size * size), b(size * size);
  std::vector<int> x(size * size), y(size * size);
  for (unsigned i = 0; i < size * size; ++i) {
    a[i] = __half(float(x[i] = int(scramble(i) % 17) - 8));
    b[i] = __half(float(y[i] = int(scramble(i + 999) % 17) - 8));
  }
  DeviceArray<__half> d_a(a), d_b(b);
  DeviceArray<float> out(size * size);
  multiply<<<dim3(size / kTile / kWarps, size / kTile), 32 * kWarps>>>(d_a.data(), d_b.data(),
                                                                       out.data(), size);
  const auto values = out.host();
  bool ok = true;
  for (unsigned row = 0; row < size; row += 7)
    for (unsigned column = 0; column < size; column += 5) {
      int sum = 0;
      for (unsigned k = 0; k < size; ++k) sum += x[row * size + k] * y[column * size + k];
      ok = ok && values[row * size + column] == float(sum);
    }
  Verdict verdict;
  verdict.expect(ok, "product");
  return verdict.finish();
}
