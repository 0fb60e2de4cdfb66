// Products of small matrices by the tensor cores: FP16 with sums in FP32, and bytes with sums in 32
// bits. The numbers are small integers, so that every sum is exact in any order.
#include <mma.h>

#include "../common/device_array.h"

using namespace nvcuda;
constexpr int kSize = 16;

template <typename In, typename Out>
__global__ void multiply(const In* a, const In* b, Out* out) {
  wmma::fragment<wmma::matrix_a, kSize, kSize, kSize, In, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, kSize, kSize, kSize, In, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, kSize, kSize, kSize, Out> sum;
  wmma::fill_fragment(sum, Out(1));
  wmma::load_matrix_sync(left, a, kSize);
  wmma::load_matrix_sync(right, b, kSize);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(out, sum, kSize, wmma::mem_row_major);
}

template <typename In, typename Out>
static bool check() {
  std::vector<In> a(kSize * kSize), b(kSize * kSize);
  std::vector<int> x(kSize * kSize), y(kSize * kSize);
  for (unsigned i = 0; i < kSize * kSize; ++i) {
    a[i] = In(float(x[i] = int(scramble(i) % 17) - 8));
    b[i] = In(float(y[i] = int(scramble(i + 999) % 17) - 8));
  }
  DeviceArray<In> d_a(a), d_b(b);
  DeviceArray<Out> out(kSize * kSize);
  multiply<<<1, 32>>>(d_a.data(), d_b.data(), out.data());
  const auto values = out.host();
  bool ok = true;
  for (int row = 0; row < kSize; ++row)
    for (int column = 0; column < kSize; ++column) {
      int sum = 1;
      for (int k = 0; k < kSize; ++k) sum += x[row * kSize + k] * y[column * kSize + k];
      ok = ok && values[row * kSize + column] == Out(sum);
    }
  return ok;
}

int main() {
  Verdict verdict;
  verdict.expect(check<__half, float>(), "half");
  verdict.expect(check<signed char, int>(), "bytes");
  return verdict.finish();
}
