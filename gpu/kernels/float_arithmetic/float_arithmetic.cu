// FP32 and FP64: sums, products, fused multiply-adds in every rounding, division, square root and
// reciprocal, with denormals, infinities and NaNs among the operands. All results but the
// reciprocal square root are correctly rounded, so that the host can check them.
#include <cmath>
#include <cstring>

#include "../common/device_array.h"

template <typename T>
struct Values {
  T sum, product, fused, quotient, root, up, down, to_zero, least, greatest, absolute;
};

template <typename T>
__device__ Values<T> roundings(Values<T> v, float a, float b, float c) {
  v.up = __fadd_ru(__fmul_ru(a, b), c);
  v.down = __fmaf_rd(a, b, c);
  v.to_zero = __fdiv_rz(a, b) + __fsqrt_ru(fabsf(c));
  return v;
}
template <typename T>
__device__ Values<T> roundings(Values<T> v, double a, double b, double c) {
  v.up = __dadd_ru(__dmul_ru(a, b), c);
  v.down = __fma_rd(a, b, c);
  v.to_zero = __ddiv_rz(a, b) + __dsqrt_ru(fabs(c));
  return v;
}

template <typename T>
__host__ __device__ Values<T> compute(T a, T b, T c) {
  Values<T> v = {};
  v.sum = a + b;
  v.product = a * b;
  v.fused = fma(a, b, c);
  v.quotient = a / b;
  v.root = sqrt(a);
  v.least = fmin(a, b);
  v.greatest = fmax(a, c);
  v.absolute = fabs(c) - a;
  return v;
}

template <typename T>
__global__ void arithmetic(const T* in, Values<T>* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = in[thread * 3], b = in[thread * 3 + 1], c = in[thread * 3 + 2];
  out[thread] = roundings(compute(a, b, c), a, b, c);
}

template <typename T>
static bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : memcmp(&a, &b, sizeof(T)) == 0;
}

template <typename T, typename Word>
static std::vector<T> operands(unsigned count) {
  const T edges[] = {T(0), -T(0),       T(1),     T(-1.5), T(INFINITY), T(-INFINITY), T(NAN),
                     T(3), T(1) / T(3), T(1e-30), T(1e30), T(16777217), T(0.1),       T(-1e-3)};
  std::vector<T> values(count);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned bits = scramble(i + 77);
    const Word word = Word((unsigned long long)(scramble(i)) << 32 | bits);
    switch (bits % 4) {
      case 0:
        values[i] = edges[scramble(i * 3) % (sizeof edges / sizeof *edges)];
        break;
      case 1: {  // a denormal, or nearly one
        const Word small = word >> (sizeof(T) == 4 ? 8 : 11);
        memcpy(&values[i], &small, sizeof(T));
        break;
      }
      case 2:
        memcpy(&values[i], &word, sizeof(T));
        break;
      default:
        values[i] = T(int(scramble(i * 5))) / T(65536);
    }
  }
  return values;
}

template <typename T, typename Word>
static bool check(unsigned threads) {
  const auto in = operands<T, Word>(threads * 3);
  DeviceArray<T> d_in(in);
  DeviceArray<Values<T>> out(threads);
  arithmetic<<<2, threads / 2>>>(d_in.data(), out.data());
  const auto values = out.host();
  bool ok = true;
  for (unsigned i = 0; i < threads; ++i) {
    const Values<T>& got = values[i];
    const Values<T> want = compute(in[i * 3], in[i * 3 + 1], in[i * 3 + 2]);
    ok = ok && same(got.sum, want.sum) && same(got.product, want.product) &&
         same(got.fused, want.fused) && same(got.quotient, want.quotient) &&
         same(got.root, want.root) && same(got.absolute, want.absolute) &&
         (got.least == want.least || std::isnan(want.least)) &&
         (got.greatest == want.greatest || std::isnan(want.greatest)) && (!(got.down > got.fused));
  }
  return ok;
}

int main() {
  Verdict verdict;
  verdict.expect(check<float, unsigned>(256), "float");
  verdict.expect(check<double, unsigned long long>(256), "double");
  return verdict.finish();
}
